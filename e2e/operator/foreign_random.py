"""Random Agents and foreign pods for the test that compares two renderers. `dice`: the caller's random.Random."""
QUANTITIES = ["50m", "100m", "1"]
BYTES = ["64Mi", "100M", "1Gi"]


def resources(dice):
    out = {}
    if dice.random() < 0.5:
        out["requests"] = {"cpu": dice.choice(QUANTITIES), "memory": "48Mi"}
    if dice.random() < 0.5:
        out["limits"] = {"memory": dice.choice(BYTES), **({"ephemeral-storage": "1Gi"} if dice.random() < 0.3 else {})}
    return out


def random_agent(dice, agent):
    """Returns `agent` with a random placement, sidecar and server."""
    spec = agent["spec"]
    spec["injection"]["placement"] = dice.choice(["First", "Last", "Before:seed", "After:seed", "After:istio-proxy", "Before:gone"])
    spec["sidecar"] = {"resources": resources(dice)}
    if dice.random() < 0.5:
        spec["sidecar"]["image"] = dice.choice(["mirror.example/sidecar:2", "s@sha256:" + "a" * 64, "s:latest"])
    spec["memory"]["serverRef"] = dice.choice(["agent-memory", "other", "away/agent-memory"])
    return agent


def declared_sidecar(dice):
    container = {"name": "memory", "image": dice.choice(["auto", "mine:1", "mine:2"])}
    if dice.random() < 0.5:
        container["resources"] = resources(dice)
    if dice.random() < 0.3:
        container["securityContext"] = {"runAsUser": dice.randrange(1, 9)}
    if dice.random() < 0.3:
        container.update(args=["--x"], env=[{"name": "A", "value": "b"}], volumeMounts=[{"name": "v0", "mountPath": "/v"}])
    return container


def init_containers(dice):
    found = [{"name": "istio-proxy", "image": "i:1", "restartPolicy": "Always"}, {"name": "seed", "image": "s:1"},
             {"name": "third", "image": "t:1", "command": ["sh", "-c", "true # yes: no"]}]
    found = [c for c in found if dice.random() < 0.5]
    if dice.random() < 0.25:
        found.append(declared_sidecar(dice))
    dice.shuffle(found)
    return found


def app(dice, number):
    container = {"name": f"app-{number}", "image": "app:1"}
    if dice.random() < 0.5:
        container["env"] = [{"name": "HOME", "value": "/"}, {"name": "NUMBER", "value": "0123"}]
        if dice.random() < 0.3:
            container["env"].append({"name": "AGENT_MEMORY_URL", "value": "http://127.0.0.1:1"})
    if dice.random() < 0.3:
        container["resources"] = resources(dice)
    if dice.random() < 0.3:
        container["ports"] = [{"containerPort": 80 + number, "name": f"p{number}"}]
    return container


def random_pod(dice, pod):
    """Returns `pod` with random containers, volumes, annotations and settings."""
    spec = pod["spec"]
    spec["containers"] = [app(dice, number) for number in range(dice.randrange(1, 4))]
    spec["volumes"] = [{"name": "v0", "emptyDir": {}}, {"name": "v1", "configMap": {"name": "x"}}]
    inits = init_containers(dice)
    if inits or dice.random() < 0.5:
        spec["initContainers"] = inits
    if dice.random() < 0.2:
        spec["volumes"].insert(dice.randrange(3), {"name": dice.choice(["agent-memory-policy", "agent-memory-state"]), "emptyDir": {}})
    if dice.random() < 0.3 and not any(c.get("volumeMounts") for c in inits):
        del spec["volumes"]
    if dice.random() < 0.5:
        pod["metadata"]["annotations"] = {"a/b": "true", "number": "1"}
    if dice.random() < 0.3:
        spec["automountServiceAccountToken"] = False
    if dice.random() < 0.3:
        spec["restartPolicy"] = dice.choice(["Never", "OnFailure"])
    if dice.random() < 0.3:
        spec["securityContext"] = {"runAsUser": 1000, "fsGroup": 7, "seccompProfile": {"type": "RuntimeDefault"}}
    return pod
