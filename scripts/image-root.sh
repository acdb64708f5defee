#!/bin/sh
# Lays out the file system of the container image: node with the shared libraries it links, and the built package with its
# production dependencies. Run after `npm run build`, from the repository's root: scripts/image-root.sh DIR
set -eu
root=${1:?"usage: scripts/image-root.sh DIR"}
node=$(command -v node)
mkdir -p "$root/usr/local/bin" "$root/etc" "$root/app" "$root/tmp"
chmod 1777 "$root/tmp"
cp "$(readlink -f "$node")" "$root/usr/local/bin/node"
# Each line of ldd names a library by its absolute path; the loader is the line without "=>".
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
printf 'root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n' > "$root/etc/passwd"
cp -r bin dist package.json package-lock.json LICENSE "$root/app/"
cp -r --parents tools/node/package.json "$root/app/"
(cd "$root/app" && npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund)
rm -rf "$root/app/tools" "$root/app/node_modules/.bin"
