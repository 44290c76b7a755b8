#!/usr/bin/env bash
# Installs a PostgreSQL with pgvector for the wiki's embedded database and for the tests. Run it as often as you like: it
# does what is missing, and nothing when all is there. Debian 12 and 13; as root or not.
#
# Where: $WIKI_HOME/postgresql, a private tree, so that no system directory is written. WIKI_HOME is /var/lib/wiki for root,
# because PostgreSQL runs as another user then, who may not enter root's own home; else ~/.local/share/wiki. The Go side of
# this choice is core/postgres/internal/local. Where Debian packages pgvector (13 on) and we are root, the packages are
# installed and no tree is needed.
#
# How, on Debian 12: PostgreSQL 15 is Debian's, copied because it finds its extensions relative to its own binary. pgvector
# is built from the source package of Debian 13, which takes some ten seconds.
set -euo pipefail
umask 022

readonly tools="gcc make libc6-dev xz-utils"
# The next release has the source package; its archive and its signing key are those of this machine's own Debian.
readonly source_suite=trixie
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() { printf 'install: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
root() { [ "$(id -u)" -eq 0 ]; }

if [ -n "${WIKI_HOME:-}" ]; then home=$WIKI_HOME
elif root; then home=/var/lib/wiki
else home=${XDG_DATA_HOME:-$HOME/.local/share}/wiki
fi
readonly home tree=$home/postgresql

# with_vector BIN: is this directory of binaries usable as it is?
with_vector() {
    local major
    [ -x "$1/postgres" ] && [ -x "$1/initdb" ] || return 1
    major=$(basename "$(dirname "$1")")
    [ -e "$1/../../../../share/postgresql/$major/extension/vector.control" ] ||
        [ -e "$1/../share/postgresql/extension/vector.control" ] || [ -e "$1/../share/extension/vector.control" ]
}

version() { LD_LIBRARY_PATH=$(dirname "$(dirname "$(dirname "$1")")")/needed "$1/postgres" --version; }

# fresh BIN: the tree's copy has the same minor version as the system's PostgreSQL that it was taken from, if that is here.
fresh() {
    local system
    system=/usr/lib/postgresql/$(basename "$(dirname "$1")")/bin
    [ ! -x "$system/postgres" ] || [ "$(version "$1")" = "$(version "$system")" ]
}

# usable: is there anything left to do?
usable() {
    local bin
    if [ -n "${WIKI_PG_BIN:-}" ]; then
        with_vector "$WIKI_PG_BIN" || fail "WIKI_PG_BIN=$WIKI_PG_BIN has no PostgreSQL with pgvector: unset it, or point it at one"
        return 0
    fi
    for bin in "$tree"/lib/postgresql/*/bin; do
        if with_vector "$bin"; then fresh "$bin" && return 0 || return 1; fi
    done
    for bin in /usr/lib/postgresql/*/bin; do
        with_vector "$bin" && return 0
    done
    return 1
}

# The package lists: the system's for root, else a copy of our own.
apt_options=()
apt() { apt-get -q -q "${apt_options[@]}" "$@" </dev/null >&2; }

update_lists() {
    say "reading the package lists"
    if ! root; then
        mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
        apt_options=(-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o Debug::NoLocking=1)
    fi
    # A third-party source that does not answer is no reason to stop: what is missing will be named.
    apt update || say "some package lists could not be read; going on with those that could"
}

# newest PATTERN: the package with the highest version in its name.
newest() { apt-cache "${apt_options[@]}" search --names-only "$1" | cut -d' ' -f1 | sort -V | tail -n 1; }

# system_server: the newest PostgreSQL in the system's directories, if there is one.
system_server() {
    local server newest=
    for server in /usr/lib/postgresql/*/bin/postgres; do # in ascending order of two-digit majors
        [ ! -x "$server" ] || newest=$server
    done
    echo "$newest"
}

# install_packages PACKAGE...: as root, those that are missing.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    # Debian's package makes and starts a cluster of its own at once, unless told not to: this machine did without one so far.
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
        mkdir -p /etc/postgresql-common
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    fi
    DEBIAN_FRONTEND=noninteractive apt install -y --no-install-recommends -o Dpkg::Options::=--force-confold "${missing[@]}" ||
        fail "apt-get could not install ${missing[*]}; its message is above"
}

# download PACKAGE...: without root, unpacks packages under $work/root.
download() {
    say "downloading $*"
    mkdir -p "$work/debs" "$work/root"
    (cd "$work/debs" && apt download "$@") || fail "apt-get could not download $*; its message is above"
    local deb
    for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$work/root"; done
    rm -rf "$work/debs"
}

# download_server PACKAGE...: the server with the libraries that this machine lacks.
download_server() {
    local libraries
    libraries=$(apt-get "${apt_options[@]}" -s install --no-install-recommends "$@" | awk '/^Inst lib/ && !/-perl / {print $2}')
    # shellcheck disable=SC2086 # a list of names
    download "$@" $libraries
}

# copy_tree FROM MAJOR: the server's files from a /usr-like directory into the new tree.
copy_tree() {
    local part
    for part in lib/postgresql share/postgresql; do
        mkdir -p "$tree.new/$part"
        cp -a "$1/$part/$2" "$tree.new/$part/"
    done
    if [ "$1" != /usr ]; then
        mkdir -p "$tree.new/lib/needed"
        for part in "$1/lib" "$work/root/lib"; do # Debian 12 still has some in /lib
            [ ! -d "$part" ] || find "$part" -path "$1/lib/postgresql" -prune -o -name '*.so*' -exec cp -a -t "$tree.new/lib/needed" {} +
        done
    fi
}

# archive: the address of this machine's Debian archive, as its own apt sources have it.
archive() {
    # shellcheck disable=SC2016 # apt expands these
    apt-get "${apt_options[@]}" indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
        awk -v release="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$2 == release && $3 == "main" {print $1; exit}'
}

# build_vector MAJOR: pgvector into the new tree, from the source package.
build_vector() {
    local uri source options config
    uri=$(archive)
    [ -n "$uri" ] || fail "the apt sources of this machine name no Debian archive to take pgvector's source from"
    say "building pgvector"
    mkdir -p "$work/source/lists/partial"
    echo "deb-src [signed-by=$keyring] $uri $source_suite main" >"$work/source/sources.list"
    options=(-o "Dir::Etc::sourcelist=$work/source/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::Lists=$work/source/lists" -o "APT::Sandbox::User=$(id -un)")
    apt "${options[@]}" update || fail "the archive $uri has no readable $source_suite; its message is above"
    # Only fetched, whole and verified by apt; unpacking it by apt would need dpkg-dev. The patches that Debian adds are about
    # compiler flags, which are set here.
    (cd "$work/source" && apt "${options[@]}" source --download-only pgvector) || fail "pgvector's source could not be fetched"
    tar -xf "$work"/source/pgvector_*.orig.tar.* -C "$work/source"
    source=$(find "$work/source" -mindepth 1 -maxdepth 1 -type d -name 'pgvector-*')
    config=$tree.new/lib/postgresql/$1/bin/pg_config
    # OPTFLAGS= : no -march=native, so that the tree runs on another machine; pgvector picks FMA at run time (measured).
    make -C "$source" -j "$(nproc)" -s PG_CONFIG="$config" with_llvm=no OPTFLAGS= install >&2 || fail "pgvector could not be built; the messages are above"
}

# add_headers MAJOR: what the build needs of postgresql-server-dev, without that package's compilers.
add_headers() {
    download "postgresql-server-dev-$1"
    cp -an "$work/root/usr/lib/postgresql/$1/." "$tree.new/lib/postgresql/$1/"
    mkdir -p "$tree.new/include"
    cp -a "$work/root/usr/include/." "$tree.new/include/"
}

# keep_tree: the new tree takes the place of the old one in one step.
keep_tree() {
    rm -rf "$tree.new/include" "$tree.old"
    [ ! -e "$tree" ] || mv "$tree" "$tree.old"
    mv "$tree.new" "$tree"
    rm -rf "$tree.old"
}

install_packaged() { # PACKAGE of pgvector
    local major=${1#postgresql-}
    major=${major%-pgvector}
    if root; then
        install_packages "postgresql-$major" "$1"
        return
    fi
    download_server "postgresql-$major" "postgresql-client-$major" libpq5 "$1"
    copy_tree "$work/root/usr" "$major"
    keep_tree
}

install_built() {
    local from=/usr server major
    server=$(system_server)
    if root; then
        # shellcheck disable=SC2086 # a list of names
        if [ -z "$server" ]; then install_packages $tools "$(newest "^postgresql-[0-9]+\$")"; else install_packages $tools; fi
        server=$(system_server)
    else
        command -v gcc >/dev/null && command -v make >/dev/null || fail "a compiler is missing: ask for 'apt-get install $tools'"
    fi
    if [ -n "$server" ]; then
        major=$(basename "$(dirname "$(dirname "$server")")")
    else
        major=$(newest '^postgresql-[0-9]+$')
        major=${major#postgresql-}
        [ -n "$major" ] || fail "the package lists of this machine have no PostgreSQL"
        download_server "postgresql-$major" "postgresql-client-$major" libpq5
        from=$work/root/usr
    fi
    copy_tree "$from" "$major"
    add_headers "$major"
    build_vector "$major"
    keep_tree
}

if usable; then exit 0; fi
command -v apt-get >/dev/null || fail "this is no Debian: install PostgreSQL 15 or newer with pgvector, and set WIKI_PG_BIN to the directory of its binaries"
mkdir -p "$home"
exec 9>"$home/install.lock"
flock 9
if usable; then exit 0; fi # another install was faster

work=$(mktemp -d "$home/install.XXXXXX")
trap 'rm -rf "$work" "$tree.new"' EXIT
rm -rf "$tree.new"
update_lists
packaged=$(newest '^postgresql-[0-9]+-pgvector$')
if [ -n "$packaged" ]; then install_packaged "$packaged"; else install_built; fi
usable || fail "the installation ended without a usable PostgreSQL in $tree; please report this with the messages above"
say "PostgreSQL with pgvector is ready"
