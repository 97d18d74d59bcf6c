# shellcheck shell=bash disable=SC2034,SC2154,SC2164
# Debian packages. Sourced after say.sh.

# missing_packages LIST...: the packages of these lists that are not installed.
missing_packages() {
  local installed line
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  while read -r line; do
    grep -qxE -- "$line" <<<"$installed" || echo "${line%%|*}"
  done < <(sed '/^#/d' "$@")
}

# How to run a command as root from here: nothing, "sudo", or a failure.
root_prefix() {
  if ((EUID == 0)); then return; fi
  command -v sudo >/dev/null || return 1
  if ! sudo -n true 2>/dev/null && ! [[ -t 0 ]]; then return 1; fi
  echo sudo
}

# need_packages LIST...: installs what is missing; apt is not touched when all is there.
need_packages() {
  local missing prefix ask
  if [[ ${PLEIAD_NO_APT:-} == 1 ]]; then
    say packages "not checked: PLEIAD_NO_APT=1"
    return
  fi
  command -v apt-get >/dev/null || fail "this is not a Debian system: apt-get is not there." \
    "Provide the libraries of $top/tools/packages yourself and run again with PLEIAD_NO_APT=1."
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    say packages "all there"
    return
  fi
  ask="apt-get install --no-install-recommends ${missing[*]}"
  prefix=$(root_prefix) || fail "${#missing[@]} Debian packages are missing, and this account is neither root nor allowed to use sudo." \
    "Ask the administrator for:" "  $ask"
  say packages "installing ${#missing[@]}: ${missing[*]}"
  install_packages "$prefix" "${missing[@]}" || fail "apt-get could not install the packages." \
    "Check the network and apt's configuration, then try: $ask"
}

# Container images are often shipped without apt's package lists.
need_lists() {
  local prefix
  if [[ -n $(apt-get indextargets) ]]; then return; fi
  prefix=$(root_prefix) || fail "apt has no package lists, and this account is neither root nor allowed to use sudo." \
    "Ask the administrator for:" "  apt-get update"
  update_lists "$prefix" || fail "apt-get update failed." "Check the network and apt's configuration."
}

# update_lists PREFIX
update_lists() { logged apt-update ${1:+"$1"} apt-get -q update; }

# install_packages PREFIX PACKAGE...
install_packages() {
  local run=(${1:+"$1"} env DEBIAN_FRONTEND=noninteractive)
  update_lists "$1" || say packages "apt-get update failed; trying with the lists that are there"
  shift
  logged apt-install "${run[@]}" apt-get -q install -y --no-install-recommends "$@"
}
