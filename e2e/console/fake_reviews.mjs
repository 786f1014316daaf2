// An API server that only reviews tokens: those that it made, for the audience that they are for.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";

export const AUDIENCE = "agent-memory.agents.agent-memory";
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

export class FakeReviews {
  users = new Map();
  async start(folder) {
    this.server = createServer(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      const token = text ? JSON.parse(text).spec?.token : "";
      const user = this.users.get(token);
      const status = user ? { authenticated: true, audiences: [AUDIENCE], user: { username: user } } : { authenticated: false, error: "invalid bearer token" };
      response.writeHead(201, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status }));
    }).listen(0, "127.0.0.1");
    await once(this.server, "listening");
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "c", contexts: [{ name: "c", context: { cluster: "c", user: "u" } }], users: [{ name: "u", user: { token: "of-the-server" } }], clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${this.server.address().port}` } }] }));
    return ["--auth", "kubernetes", "--audience", AUDIENCE, "--kubeconfig", kubeconfig];
  }
  issue(user, seconds = 3600) {
    const token = [part({ alg: "RS256", kid: "k" }), part({ sub: user, aud: [AUDIENCE], exp: Math.floor(Date.now() / 1000) + seconds, jti: String(this.users.size) }), part("signature")].join(".");
    this.users.set(token, user);
    return token;
  }
  end() {
    this.server.close();
    this.server.closeAllConnections();
  }
}
