#!/bin/sh
# Installs bakeoff for this user, without root: fetches the archive of a release and its SHA-256, compares, and puts the
# program into ~/.local/bin. Nothing else is changed. The digest comes from where the archive does: it tells an archive that
# was damaged from a whole one.
#   BAKEOFF_VERSION=0.2.0   another release    BAKEOFF_BIN=DIR   another folder    BAKEOFF_RELEASES=URL   another place
set -eu
install_bakeoff() {
  version=${BAKEOFF_VERSION:-0.2.0}
  bin=${BAKEOFF_BIN:-$HOME/.local/bin}
  releases=${BAKEOFF_RELEASES:-https://github.com/bakeoff-dev/bakeoff/releases/download}
  case $(uname -s)-$(uname -m) in
    Linux-*) name=bakeoff-$(uname -m)-unknown-linux-musl-v$version ;;
    Darwin-arm64) name=bakeoff-aarch64-apple-darwin-v$version ;;
    *) echo "install: there is bakeoff for Linux, and for macOS on arm64; this is $(uname -s) on $(uname -m)" >&2; exit 1 ;;
  esac
  sum=sha256sum
  command -v sha256sum >/dev/null || sum="shasum -a 256"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  echo "install: $releases/v$version/$name.tgz"
  for file in "$name.tgz" "$name.tgz.sha256"; do
    curl --fail --silent --show-error --location --output "$folder/$file" "$releases/v$version/$file"
  done
  (cd "$folder" && echo "$(cut -c 1-64 "$name.tgz.sha256")  $name.tgz" | $sum -c && tar -xzf "$name.tgz")
  program=$folder/$name/bakeoff
  if [ -L "$program" ] || [ ! -f "$program" ]; then echo "install: no program is in the archive" >&2; exit 1; fi
  mkdir -p "$bin"
  cp "$program" "$bin/bakeoff.new" && chmod 755 "$bin/bakeoff.new" && mv -f "$bin/bakeoff.new" "$bin/bakeoff"
  echo "install: $bin/bakeoff is $("$bin/bakeoff" --version). To remove it, remove that file."
  case :$PATH: in *:"$bin":*) ;; *) echo "install: $bin is not in your PATH" ;; esac
}
# Half a script does nothing: this line comes last.
install_bakeoff
