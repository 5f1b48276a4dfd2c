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
  [ "$(uname -s)" = Linux ] || { echo "install: bakeoff runs on Linux; this is $(uname -s)" >&2; exit 1; }
  name=bakeoff-$(uname -m)-unknown-linux-musl-v$version
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  echo "install: $releases/v$version/$name.tgz"
  for file in "$name.tgz" "$name.tgz.sha256"; do
    curl --fail --silent --show-error --location --output "$folder/$file" "$releases/v$version/$file"
  done
  (cd "$folder" && echo "$(cut -c 1-64 "$name.tgz.sha256")  $name.tgz" | sha256sum -c && tar -xzf "$name.tgz")
  program=$folder/$name/bakeoff
  if [ -L "$program" ] || [ ! -f "$program" ]; then echo "install: no program is in the archive" >&2; exit 1; fi
  mkdir -p "$bin"
  cp "$program" "$bin/bakeoff.new" && chmod 755 "$bin/bakeoff.new" && mv -f "$bin/bakeoff.new" "$bin/bakeoff"
  echo "install: $bin/bakeoff is $("$bin/bakeoff" --version). To remove it, remove that file."
  case :$PATH: in *:"$bin":*) ;; *) echo "install: $bin is not in your PATH" ;; esac
}
# Half a script does nothing: this line comes last.
install_bakeoff
