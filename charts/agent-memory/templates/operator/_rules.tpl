{{/* What the operator may do: no wildcard, no Secrets, no pods/exec, no escalate or bind. It writes
by server-side apply, which is `patch`, plus `create` where the object is new. */}}
{{- define "agent-memory.rules" -}}
# Kinds of agents.agentops.io: the operator reads them and writes their status, never their spec.
- {apiGroups: [agents.agentops.io], resources: [agents, agenttools, agentruns, memoryservers], verbs: [list, watch]}
- {apiGroups: [agents.agentops.io], resources: [agents/status, agentruns/status, memoryservers/status], verbs: [patch]}
# Children.
- {apiGroups: [apps], resources: [statefulsets], verbs: [get, list, watch, create, patch, delete]}
# The Deployment of a MemoryServer with PostgreSQL, and whose its Pods are.
- {apiGroups: [apps], resources: [deployments], verbs: [get, create, patch, delete]}
- {apiGroups: [apps], resources: [replicasets], verbs: [list]}
- {apiGroups: [''], resources: [configmaps, serviceaccounts, services], verbs: [get, list, watch, create, patch, delete]}
# Grants of shared memory: the operator holds the rights that it grants; escalate and bind would grant all rights.
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [memory.agents.agentops.io], resources: [sharedmemories], verbs: [get, list, update, delete]}
# Optional objects of a MemoryServer, read one by one. The operator grants a server no rights: it cannot bind
# system:auth-delegator.
- {apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [get, create, patch, delete]}
- {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [get, create, patch, delete]}
- {apiGroups: [monitoring.coreos.com], resources: [podmonitors], verbs: [get, create, patch, delete]}
# A run's Job is created once, and deleted with its AgentRun (owner reference).
- {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch, create, patch]}
# The operator reads claims and annotates them with their Agent, creates them for runs with storage
# (StatefulSets create their own), and deletes none.
- {apiGroups: [''], resources: [persistentvolumeclaims], verbs: [get, list, watch, create, patch]}
# The operator annotates Pods, so that the kubelet syncs a changed policy at once, updates sidecars in place,
# and deletes Pods that need a restart, so that their workload creates them again.
- {apiGroups: [''], resources: [pods], verbs: [list, watch, patch, delete]}
- {apiGroups: [''], resources: [pods/resize], verbs: [patch]}
# The endpoints of serverRef.
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch]}
# Its own Events, and those of others on one StatefulSet, Job, claim or Pod that say why a Pod is missing.
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch, list]}
{{- end -}}

{{/* Only with foreignPods: who binds a policy to an Agent must be allowed to read it, and the webhook
reads those that its caches do not have yet. */}}
{{- define "agent-memory.foreignPodsRules" -}}
- {apiGroups: [agents.agentops.io], resources: [agents], verbs: [get]}
{{- if eq (include "agent-memory.injection" .) "webhook" }}
# The operator creates the certificates and writes the caBundle.
- {apiGroups: [admissionregistration.k8s.io], resources: [mutatingwebhookconfigurations], resourceNames: [{{ include "agent-memory.foreignPods" . }}], verbs: [get, patch]}
{{- if not (include "agent-memory.twinIsPolicy" .) }}
- {apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], resourceNames: [{{ include "agent-memory.foreignPods" . }}], verbs: [get, patch]}
{{- end }}
{{- else }}
- {apiGroups: [admissionregistration.k8s.io], resources: [mutatingadmissionpolicies], resourceNames: [{{ include "agent-memory.foreignPods" . }}], verbs: [get]}
- {apiGroups: [admissionregistration.k8s.io], resources: [mutatingadmissionpolicybindings], verbs: [get, list, watch, create, patch, delete]}
{{- end }}
- {apiGroups: [''], resources: [pods/eviction], verbs: [create]}
{{- end -}}

{{/* Only with a ClusterRole: are the CRDs ours? Which kubelets are there? */}}
{{- define "agent-memory.clusterRules" -}}
- {apiGroups: [''], resources: [nodes], verbs: [list, watch]}
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [agents.agents.agentops.io, agenttools.agents.agentops.io, agentruns.agents.agentops.io, memoryservers.agents.agentops.io]
  verbs: [get]
{{- end -}}
