"""Tests of the chart with memory.store.postgres: its objects, its refusals, its words. Part of packaging_test.py."""
import json

SECRET = "memory.store.postgres.secretRef.name=pg-app"
GIVEN = f"crds.enabled=false,{SECRET},memory.store.postgres.key=uri"


def server(things):
    """The Deployment of the server, among `things`."""
    return next(o for o in things if o["kind"] == "Deployment" and o["metadata"]["name"] == "agent-memory")


def refusal(t, *arguments):
    code, _, error = t.run([*t.helm, "template", "agent-memory", t.chart, "--kube-version=1.36.0", *arguments])
    assert code, f"{arguments} was taken"
    return error


def postgres_makes_equal_replicas_without_a_volume(t):
    things = t.objects(t.template(f"--set={GIVEN},memory.replicas=2"))
    assert not [o for o in things if o["kind"] == "StatefulSet"]
    spec = server(things)["spec"]
    assert spec["replicas"] == 2 and spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, spec
    pod = spec["template"]["spec"]
    assert pod["topologySpreadConstraints"][0]["topologyKey"] == "kubernetes.io/hostname"
    assert pod["topologySpreadConstraints"][0]["labelSelector"] == spec["selector"]
    for volume in pod["volumes"]:
        assert "projected" in volume or "sizeLimit" in volume.get("emptyDir", {}), volume
    args = pod["containers"][0]["args"]
    assert {"--store=postgres", "--dsn-file=/etc/agent-memory/store/uri", "--require-sync=true"} <= {*args}, args
    budget = next(o for o in things if o["kind"] == "PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1 and budget["selector"] == spec["selector"], budget
    service = next(o for o in things if o["kind"] == "Service" and o["metadata"]["name"] == "agent-memory")
    assert "publishNotReadyAddresses" not in service["spec"]
    policy = next(o for o in things if o["kind"] == "NetworkPolicy" and o["metadata"]["name"] == "agent-memory")
    assert {"port": 5432, "protocol": "TCP"} in [p for rule in policy["spec"]["egress"] for p in rule["ports"]], policy
    assert [o for o in things if o["kind"] == "ServiceAccount" and o["metadata"]["name"] == "agent-memory"]


def one_replica_of_postgres_blocks_no_drain(t):
    things = t.objects(t.template(f"--set={GIVEN}"))
    assert not [o for o in things if o["kind"] == "PodDisruptionBudget"]
    assert "--require-sync=false" in server(things)["spec"]["template"]["spec"]["containers"][0]["args"]


def the_address_and_its_authority_are_files_that_follow_a_rotation(t):
    things = t.objects(t.template(f"--set={GIVEN},memory.store.postgres.caSecretRef.name=pg-ca,memory.store.postgres.caSecretRef.key=ca.crt"))
    pod = server(things)["spec"]["template"]["spec"]
    sources = next(v for v in pod["volumes"] if v["name"] == "store")["projected"]["sources"]
    assert {"secret": {"name": "pg-ca", "items": [{"key": "ca.crt", "path": ".postgresql/root.crt"}]}} in sources, sources
    assert {"name": "HOME", "value": "/etc/agent-memory/store"} in pod["containers"][0]["env"]
    mount = next(m for m in pod["containers"][0]["volumeMounts"] if m["name"] == "store")
    assert "subPath" not in mount and mount["readOnly"], mount


def half_an_address_and_replicas_of_sqlite_are_refused(t):
    for setting, words in (("memory.replicas=2", "set memory.store.postgres: {secretRef: {name: …}, key: …}"),
                           (SECRET, "needs secretRef.name and key"), ("memory.store.postgres.key=uri", "needs secretRef.name and key"),
                           (f"{GIVEN},memory.store.postgres.caSecretRef.name=pg-ca", "caSecretRef needs name and key"),
                           ("memory.store.postgres.dsn=x", "dsn"), ("memory.replicas=0", "replicas")):
        error = refusal(t, f"--set={setting}")
        assert words in error, f"{setting}: {error}"


def an_upgrade_to_postgres_needs_a_word_about_the_memories(t):
    error = refusal(t, "--is-upgrade", f"--set={GIVEN}")
    assert "agent-memory-server migrate" in error and "memory.store.allowChange: true" in error, error
    t.template("--is-upgrade", f"--set={GIVEN},memory.store.allowChange=true")
    t.template("--is-upgrade")


def notes_say_which_store_and_what_it_promises(t):
    def notes(*settings):
        return t.must([*t.helm, "install", t.name, t.chart, "-n", t.name, "--dry-run=client", *settings]).split("NOTES:")[1]
    assert f"SQLite on claim data-{t.name}-0" in notes()
    assert "a failover to an asynchronous standby may lose" in notes(f"--set={GIVEN}")
    two = notes(f"--set={GIVEN},memory.replicas=2")
    assert "key uri of Secret pg-app; 2 replicas" in two and "only while a synchronous standby is attached" in two, two


def a_server_takes_the_objects_of_postgres(t):
    made = t.objects(t.template(f"--set={GIVEN},memory.replicas=2,nameOverride={t.name}"))
    for thing in made:
        if thing["metadata"].get("namespace") == "agents" and thing["metadata"]["name"] == t.name:
            thing["metadata"]["namespace"] = t.name
            t.must([*t.kubectl, "apply", "--dry-run=server", "--server-side", "--force-conflicts", "-f", "-"], json.dumps(thing))


TESTS = [postgres_makes_equal_replicas_without_a_volume, one_replica_of_postgres_blocks_no_drain,
         the_address_and_its_authority_are_files_that_follow_a_rotation, half_an_address_and_replicas_of_sqlite_are_refused,
         an_upgrade_to_postgres_needs_a_word_about_the_memories, notes_say_which_store_and_what_it_promises, a_server_takes_the_objects_of_postgres]
