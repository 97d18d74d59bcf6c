# shellcheck shell=bash disable=SC2034,SC2154,SC2164
# Data that no small package holds. Sourced after packages.sh.

# need_digits: the small tables of scikit-learn (digits, iris ...). Only the files are unpacked: installing the package
# would bring 266 MB of Python.
need_digits() {
  local target=$deps/data/sklearn package=python3-sklearn scratch
  if [[ -f $target/digits.csv.gz || -f /usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz ]]; then
    say data "fashion-mnist, digits"
    return
  fi
  if command -v apt-get >/dev/null; then need_lists; fi
  scratch=$(mktemp -d "$deps/data-XXXXXX")
  if logged data unpack_tables "$package" "$scratch"; then
    mkdir -p "$deps/data"
    mv "$scratch/tables" "$target"
    say data "fashion-mnist, digits (in $target)"
  else
    say data "digits not fetched: the preset digits-mlp will not find its data until apt can download $package"
  fi
  rm -rf "$scratch"
}

# unpack_tables PACKAGE FOLDER
unpack_tables() (
  cd "$2" &&
    apt-get -q -o APT::Sandbox::User=root download "$1" && dpkg-deb -x "$1"_*.deb root &&
    mv root/usr/lib/python3/dist-packages/sklearn/datasets/data tables && cp "root/usr/share/doc/$1/copyright" tables/ &&
    rm -rf tables/__pycache__ tables/__init__.py
)
