"""Tests for packaging_test.py: the chart in another namespace, and twice in one cluster."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = str(ROOT / "charts/agent-memory")


def another_namespace_gets_the_crds_of_a_removed_release(t):
    """Helm refuses the kept CRDs there; what NOTES.txt and docs/operations/install.md say about it works."""
    there, manual = f"{t.name}-b", (ROOT / "docs/operations/install.md").read_text()
    out = t.must([*t.helm, "install", t.name, CHART, "-n", t.name, "--take-ownership"])
    for way in ("--take-ownership", "crds.enabled=false"):
        assert way in out and way in manual, f"NOTES or docs/operations/install.md do not name {way}"
    owner = lambda: t.must([*t.kubectl, "get", "crd", "agents.agents.agentops.io", "-o",
                            "jsonpath={.metadata.annotations.meta\\.helm\\.sh/release-namespace}"])
    t.must([*t.helm, "uninstall", t.name, "-n", t.name])
    install = [*t.helm, "install", t.name, CHART, "-n", there, "--create-namespace"]
    try:
        code, _, error = t.run(install)
        assert code and "CustomResourceDefinition" in error and "release-namespace" in error, f"Helm takes them by itself: {error}"
        t.must([*install, "--set=crds.enabled=false"])
        assert owner() == t.name, "the CRDs were to be left alone"
        # Later this release upgrades them, too.
        t.must([*t.helm, "upgrade", t.name, CHART, "-n", there, "--take-ownership", "--set=crds.enabled=true"])
        assert owner() == there
        # A second release beside it has its own name and namespaces.
        beside = ["-n", t.name, f"--set=crds.enabled=false,namespaces={{{t.name}}}"]
        code, _, error = t.run([*t.helm, "install", t.name, CHART, *beside])
        assert code and "ClusterRoleBinding" in error, error
        t.must([*t.helm, "install", f"{t.name}-two", CHART, *beside])
        t.must([*t.helm, "uninstall", f"{t.name}-two", "-n", t.name])
        t.must([*t.helm, "uninstall", t.name, "-n", there])
        t.must([*t.helm, "install", t.name, CHART, "-n", t.name, "--take-ownership"])
        assert owner() == t.name
    finally:
        t.run([*t.helm, "uninstall", t.name, "-n", t.name])
        t.run([*t.helm, "uninstall", t.name, "-n", there])
        t.run([*t.kubectl, "delete", "namespace", there, "--wait=false"])
