#!/usr/bin/env bash
# Brings up the cluster of README.md in a temporary folder, on loopback, as an ordinary user; puts a load on it; takes the
# primary away twice, and prints what was lost and for how long writes failed. Needs Debian's packages postgresql,
# patroni, python3-etcd, etcd-server, pgbouncer and haproxy, and Go.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ -z "${CLUSTER:-}" ]; then
	CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/backoffice-cluster-XXXXXX")
	export CLUSTER
	(cd "$here/.." && go build -o "$CLUSTER/backoffice" . && go build -o "$CLUSTER/load" ./deploy/load)
	cp "$here"/patroni.yml "$here"/haproxy.cfg "$here"/pgbouncer.ini "$0" "$CLUSTER/"
	chmod 755 "$CLUSTER"
	if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
		user=postgres
		id "$user" >/dev/null 2>&1 || user=nobody
		chown -R "$user" "$CLUSTER"
		exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env HOME="$CLUSTER" bash "$CLUSTER/failover.sh"
	fi
	exec bash "$CLUSTER/failover.sh"
fi

cd "$CLUSTER"
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
secret() { head -c 18 /dev/urandom | base64 | tr '+/' '-_'; }
superuser=$(secret) replicator=$(secret) rewinder=$(secret) password=$(secret)
began=$(date +%s)
say() { printf '[%3d s] %s\n' $(($(date +%s) - began)) "$*"; }

declare -A running=()
start() { # name, command…: each in a session of its own, so that all of it can be killed
	local name=$1
	shift
	setsid "$@" >>"$CLUSTER/$name.log" 2>&1 9>&- &
	running[$name]=$!
	disown
}
finish() {
	for name in load gateway1 gateway2 pgbouncer haproxy node1 node2 etcd; do
		[ -n "${running[$name]:-}" ] && kill -TERM -- "-${running[$name]}" 2>/dev/null || true
	done
	sleep 2
	for name in node1 node2 etcd; do
		[ -n "${running[$name]:-}" ] && kill -KILL -- "-${running[$name]}" 2>/dev/null || true
	done
	for data in node1 node2; do # PostgreSQL leaves its parent's session
		[ -f "$data/data/postmaster.pid" ] && kill -QUIT "$(head -1 "$data/data/postmaster.pid")" 2>/dev/null || true
	done
	[ -n "${KEEP:-}" ] || rm -rf "$CLUSTER"
}
trap finish EXIT
until_true() { # seconds, what, command…
	local until=$(($(date +%s) + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$until" ] || { say "gave up waiting until $what"; tail -n 20 ./*.log; exit 1; }
		sleep 0.2
	done
}

node() { # number
	mkdir -p "node$1"
	chmod 700 "node$1"
	sed -e "s|@NODE@|node$1|; s|@PORT@|1543$1|g; s|@RESTPORT@|1843$1|g; s|@FOLDER@|$CLUSTER|g; s|@PROGRAMS@|$programs|" \
		-e "s|@SUPERUSER@|$superuser|; s|@REPLICATOR@|$replicator|; s|@REWINDER@|$rewinder|" -e "s|@NODE@|node$1|g" patroni.yml >"node$1/patroni.yml"
	chmod 600 "node$1/patroni.yml"
	start "node$1" patroni "$CLUSTER/node$1/patroni.yml"
}
is() { curl -fs "http://127.0.0.1:1843$1/$2"; } # number, role
primary_is() { is "$1" primary; }
sync_is() { is "$1" synchronous; }
sql() { PGPASSWORD=$superuser "$programs/psql" -qAtX -h 127.0.0.1 -p 15000 -U postgres "$@"; }

start etcd etcd --name one --data-dir "$CLUSTER/etcd" --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379 \
	--listen-peer-urls http://127.0.0.1:12380 --initial-advertise-peer-urls http://127.0.0.1:12380 --initial-cluster one=http://127.0.0.1:12380
until_true 20 "etcd answers" curl -fs http://127.0.0.1:12379/health
node 1
start haproxy haproxy -db -f "$CLUSTER/haproxy.cfg"
until_true 60 "node 1 is the primary" primary_is 1
node 2
until_true 60 "node 2 is its synchronous replica" sync_is 2
say "node 1 is the primary, node 2 its synchronous replica"

until_true 10 "the primary is found" sql -c "SELECT 1" postgres
sql -c "CREATE ROLE backoffice LOGIN PASSWORD '$password'" -c "GRANT pg_monitor TO backoffice" -c "CREATE DATABASE backoffice OWNER backoffice" postgres
mkdir -p pgbouncer
printf '"backoffice" "%s"\n' "$password" >pgbouncer/userlist.txt
sed -i "s|@FOLDER@|$CLUSTER|g" pgbouncer.ini
start pgbouncer pgbouncer "$CLUSTER/pgbouncer.ini"

export BACKOFFICE_FILES="file:$CLUSTER/files" BACKOFFICE_KEYSET="$CLUSTER/keyset.json"
direct="postgres://backoffice:$password@127.0.0.1:15000/backoffice?sslmode=disable"
./backoffice migrate --database "$direct" >/dev/null
export BACKOFFICE_DATABASE="postgres://backoffice:$password@127.0.0.1:16432/backoffice?sslmode=disable"
export BACKOFFICE_POSTGRES_QUERY_MODE=described BACKOFFICE_POSTGRES_CONNECTIONS=10
export BACKOFFICE_REPLICA="postgres://backoffice:$password@127.0.0.1:15431/backoffice?sslmode=disable postgres://backoffice:$password@127.0.0.1:15432/backoffice?sslmode=disable"
until_true 10 "PgBouncer answers" ./backoffice credentials list
credentials() { ./backoffice credentials create --json "$@"; }
part() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
writer=$(credentials --name writer --scope customers.write --scope settings.write)
reader=$(credentials --name reader)
revoked=$(credentials --name revoked)
CLIENT_ID=$(part clientId <<<"$writer") CLIENT_SECRET=$(part clientSecret <<<"$writer")
READER_ID=$(part clientId <<<"$reader") READER_SECRET=$(part clientSecret <<<"$reader")
export CLIENT_ID CLIENT_SECRET READER_ID READER_SECRET
start gateway1 ./backoffice serve --listen 127.0.0.1:18081
start gateway2 ./backoffice serve --listen 127.0.0.1:18082
until_true 10 "the gateways answer" curl -fs http://127.0.0.1:18080/livez
say "two gateways serve, through PgBouncer in transaction mode and HAProxy"

ask() { # gateway, pair, query
	curl -s "http://127.0.0.1:1808$1/graphql" -H 'Content-Type: application/json' -H "X-Client-Id: $(part clientId <<<"$2")" \
		-H "X-Client-Secret: $(part clientSecret <<<"$2")" -d "{\"query\": \"$3\"}" "${@:4}"
}
sees_label() { ask 2 "$reader" '{ labels(first: 500) { nodes { name } } }' | grep -q "Seen elsewhere"; }
is_answered() { [ "$(ask "$1" "$revoked" '{ viewer { clientId } }' -o "$CLUSTER/answer" -w '%{http_code}')" = "$2" ]; }
how_long() { # what, command…: until the command is true
	local from
	from=$(date +%s%N)
	until_true 20 "$@"
	printf '%s after %s s\n' "$1" "$(awk "BEGIN { printf \"%.1f\", ($(date +%s%N) - $from) / 1e9 }")"
}
replica_reads() { # number of the node: how often it looked for customers, by an index
	PGPASSWORD=$superuser "$programs/psql" -qAtX -h 127.0.0.1 -p "1543$1" -U postgres -c "SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'customers'" backoffice
}

mkfifo commands
./load <commands &
load=$!
exec 9>commands
sleep 10
echo "report before" >&9
sleep 1
echo "the replica has answered $(replica_reads 2) reads of customers"
ask 1 "$writer" 'mutation { createLabel(input: {name: \"Seen elsewhere\"}) { label { id } } }' >/dev/null
how_long "a label made at gateway 1 is seen by others at gateway 2" sees_label
until_true 5 "gateway 2 knows the pair" is_answered 2 200
until_true 5 "gateway 1 knows the pair" is_answered 1 200
./backoffice credentials revoke "$(part clientId <<<"$revoked")" >/dev/null
how_long "a pair that is revoked is refused by gateway 2" is_answered 2 401
how_long "and by gateway 1 then" is_answered 1 401

say "node 1 is killed: Patroni, PostgreSQL and all"
kill -KILL -- "-${running[node1]}"
kill -KILL "$(head -1 node1/data/postmaster.pid)"
until_true 60 "node 2 is the primary" primary_is 2
say "node 2 is the primary"
sleep 12
echo "report the primary was killed" >&9
sleep 1

say "node 1 comes back"
node 1
until_true 60 "node 1 is a synchronous replica" sync_is 1
say "node 1 is the synchronous replica of node 2"
sleep 5
echo "report the old primary came back as a replica" >&9
sleep 1
echo "that replica has answered $(replica_reads 1) reads of customers"

say "node 2 is stopped in an orderly way"
kill -TERM "${running[node2]}"
until_true 60 "node 1 is the primary" primary_is 1
say "node 1 is the primary"
sleep 12
echo "report the primary was stopped" >&9
echo end >&9
wait $load && say "done" || { say "SOMETHING WAS LOST"; exit 1; }
