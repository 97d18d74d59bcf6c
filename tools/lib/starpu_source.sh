# shellcheck shell=bash disable=SC2034,SC2154,SC2164
# The source of StarPU, from the Debian archive that apt already uses. Sourced after packages.sh.
# Debian 12 has only StarPU 1.3, so the source comes from newer suites, through a private list: the machine's own
# apt configuration stays as it is, and apt checks the signatures.

# get_source: puts a StarPU 1.4 source tree in $work/source.
get_source() {
  local version
  if [[ -n ${PLEIAD_STARPU_SOURCE:-} ]]; then
    cp -r "$PLEIAD_STARPU_SOURCE" "$work/source"
    return
  fi
  command -v apt-get >/dev/null || no_source "apt-get is not there"
  need_lists
  write_private_list
  logged starpu-lists private apt-get -q update || say starpu "not every Debian suite could be read; going on with the others"
  for version in $(source_versions); do
    say starpu "taking $version from Debian's source packages"
    if logged starpu-source download "$version"; then return; fi
  done
  no_source "none of Debian's suites stable, testing and unstable gave StarPU 1.4, at least $starpu_min"
}

no_source() {
  fail "no source of StarPU: $1." \
    "Either load a StarPU >= $starpu_min built on MPICH that pkg-config finds (module, Spack, Guix)," \
    "or unpack its source and run again with PLEIAD_STARPU_SOURCE=DIR."
}

write_private_list() {
  local uri suite key=/usr/share/keyrings/debian-archive-keyring.gpg
  [[ -f $key ]] || key=
  mkdir -p "$work/lists/partial"
  for uri in $(debian_archives); do
    for suite in stable testing unstable; do
      echo "deb-src ${key:+[signed-by=$key]} $uri $suite main"
    done
  done >"$work/sources.list"
  [[ -s $work/sources.list ]] || no_source "apt knows no Debian archive"
}

# Where apt finds Debian.
debian_archives() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" {print $4}' | sort -u
}

# private COMMAND...: an apt command on the private list.
private() {
  "$@" -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
}

# The released versions 1.4.x that will do, newest first.
source_versions() {
  local version
  private apt-cache showsrc starpu | sed -n 's/^Version: //p' | grep -E '^1\.4\.[0-9]+([+-]|$)' | sort -rVu |
    while read -r version; do
      if dpkg --compare-versions "$version" ge "$starpu_min"; then echo "$version"; fi
    done
}

# download VERSION
download() (
  cd "$work" && private apt-get -q source "starpu=$1" && mv starpu-1.4*/ source
)
