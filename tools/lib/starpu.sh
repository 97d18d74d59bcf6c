# shellcheck shell=bash disable=SC2030,SC2031,SC2154,SC2164
# StarPU: finds one, or builds one from Debian's source package. Sourced after say.sh.
# A build is called a flavour: "starpu" (CPU, OpenCL, CUDA where nvcc is found) or "starpu-sim" (on SimGrid).

starpu_min=1.4.7
configure_flags=(
  --with-mpicc=mpicc.mpich --with-mpicxx=mpicxx.mpich --with-mpiexec=mpiexec.mpich --enable-maxcpus=256
  --disable-static --disable-dependency-tracking --disable-fstack-protector-all --disable-glpk --enable-blas-lib=none
  --disable-build-doc --disable-build-examples --disable-build-tests --disable-starpufft --disable-socl
  --disable-starpupy --disable-starpurm --disable-fortran --disable-hdf5
)

# The folder of the CUDA toolkit, or nothing. PLEIAD_CUDA=off hides it.
cuda_home() {
  local nvcc
  [[ ${PLEIAD_CUDA:-} != off ]] || return 0
  for nvcc in "$(command -v nvcc)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    [[ -x $nvcc ]] || continue
    dirname "$(dirname "$(readlink -f "$nvcc")")"
    return
  done
}

# flavour_flags FLAVOUR: the configure flags, one a line. They identify a build together with the StarPU version.
flavour_flags() {
  local cuda
  printf '%s\n' "${configure_flags[@]}"
  if [[ $1 == starpu-sim ]]; then
    printf '%s\n' --enable-simgrid --disable-mpi
    return
  fi
  cuda=$(cuda_home)
  if [[ -n $cuda ]]; then printf '%s\n' "--with-cuda-dir=$cuda" "LDFLAGS=-Wl,-rpath,$cuda/lib64"; else echo --disable-cuda; fi
}

# is_built FLAVOUR: true if it was built with today's flags and all its libraries are found.
# A build with CUDA also serves where nvcc is out of sight (a login node without the module).
is_built() {
  local prefix=$deps/$1 wanted
  [[ -f $prefix/pleiad-flags ]] || return 1
  wanted=$(flavour_flags "$1")
  if grep -q -- --disable-cuda <<<"$wanted"; then wanted=$(grep -v -e cuda -e LDFLAGS <<<"$wanted"); fi
  ! grep -qvxF -f "$prefix/pleiad-flags" <<<"$wanted" || return 1
  [[ $(ldd "$prefix"/lib/libstarpu*.so) != *'not found'* ]]
}

# True if pkg-config finds a StarPU that is new enough and speaks MPICH (also through its stable library interface).
found_elsewhere() {
  local library
  pkg-config --exists "starpu-1.4 >= $starpu_min" "starpumpi-1.4 >= $starpu_min" 2>/dev/null || return 1
  library=$(pkg-config --variable=libdir starpumpi-1.4)/libstarpumpi-1.4.so
  if readelf -d "$library" | grep -qE 'NEEDED.*\[libmpi(ch)?\.so\.12\]'; then return; fi
  say starpu "$library is not built on MPICH: not used"
  return 1
}

# need_starpu FLAVOUR
need_starpu() {
  local flavour=$1
  if is_built "$flavour"; then
    say starpu "$(built_version "$flavour") at $deps/$flavour"
  elif [[ $flavour == starpu ]] && found_elsewhere; then
    say starpu "$(pkg-config --modversion starpu-1.4) at $(pkg-config --variable=prefix starpu-1.4)"
  else
    (
      work=$(mktemp -d "$deps/build-XXXXXX")
      trap 'rm -rf "$work"' EXIT
      get_source
      build_starpu "$flavour"
    )
  fi
}

built_version() { PKG_CONFIG_PATH=$deps/$1/lib/pkgconfig pkg-config --modversion starpu-1.4; }

# build_starpu FLAVOUR: from $work/source; the prefix appears only when all of it is there.
build_starpu() {
  local flavour=$1 prefix=$deps/$1 flags
  mapfile -t flags < <(flavour_flags "$flavour")
  say starpu "building in $deps, some minutes: ${flags[*]}"
  patch_for_cuda_13
  mkdir "$work/build"
  cd "$work/build"
  logged "$flavour-configure" ../source/configure --prefix="$prefix" --libdir="$prefix/lib" "${flags[@]}" ||
    fail "StarPU's configure failed." "Read the log above; with a broken CUDA toolkit, PLEIAD_CUDA=off leaves it out."
  require_parts "$flavour"
  logged "$flavour-make" make -j"$jobs" || fail "StarPU did not compile." \
    "Read the log above; PLEIAD_CUDA=off leaves CUDA out, PLEIAD_STARPU_SOURCE=DIR takes another source tree."
  logged "$flavour-install" make install DESTDIR="$work/root" || fail "StarPU's make install failed." "Read the log above; is the disk full?"
  printf '%s\n' "${flags[@]}" >"$work/root$prefix/pleiad-flags"
  rm -rf "$prefix"
  mv "$work/root$prefix" "$prefix"
  say starpu "$(built_version "$flavour") built at $prefix"
}

# configure leaves out silently what it does not find; Pleiad needs all of these.
require_parts() {
  local summary=$deps/log/$1-configure.log part parts=('simgrid enabled: +yes')
  if [[ $1 == starpu ]]; then
    parts=('OpenCL +enabled: +yes' 'hwloc: +yes' 'FxT trace enabled: +yes' 'StarPU MPI enabled: +yes')
  fi
  if grep -q -- --with-cuda-dir "$work/build/config.log"; then parts+=('CUDA +enabled: +yes'); fi
  for part in "${parts[@]}"; do
    grep -qE "$part" "$summary" || fail "StarPU was configured without: ${part//+/}." "Look for the reason in $summary"
  done
}

# CUDA 13 removed computeMode from the device properties.
patch_for_cuda_13() {
  sed -i -e 's/^\tif (props\[devid\]\.computeMode == /\tint compute_mode = 0;\
	cudaDeviceGetAttribute(\&compute_mode, cudaDevAttrComputeMode, devid);\
	if (compute_mode == /' "$work"/source/src/drivers/cuda/driver_cuda*.c
}
