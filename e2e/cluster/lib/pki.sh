# The cluster's certificates, and kubeconfigs with them. The functions keep
# existing keys and certificates. Sourced after places.sh.

EC=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

authority() { # authority NAME: a self-signed authority
  [ -s "$PKI/$1.crt" ] && return
  openssl req -x509 "${EC[@]}" -days 3650 -subj "/CN=$1" \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature \
    -keyout "$PKI/$1.key" -out "$PKI/$1.crt" 2>/dev/null
}

certificate() { # certificate AUTHORITY NAME SUBJECT clientAuth|serverAuth [SAN]
  local authority=$1 name=$2 extensions
  [ -s "$PKI/$name.crt" ] && return
  extensions="keyUsage=critical,digitalSignature"$'\n'"extendedKeyUsage=$4"
  [ -z "${5-}" ] || extensions+=$'\n'"subjectAltName=$5"
  openssl req "${EC[@]}" -subj "$3" -keyout "$PKI/$name.key" 2>/dev/null |
    openssl x509 -req -days 3650 -CA "$PKI/$authority.crt" -CAkey "$PKI/$authority.key" \
      -set_serial "0x$(openssl rand -hex 16)" -extfile <(echo "$extensions") \
      -out "$PKI/$name.crt" 2>/dev/null
}

signing_key() { # the key of ServiceAccount tokens
  [ -s "$PKI/sa.pub" ] && return
  openssl ecparam -genkey -name prime256v1 -noout -out "$PKI/sa.key"
  openssl ec -in "$PKI/sa.key" -pubout -out "$PKI/sa.pub" 2>/dev/null
}

kubeconfig() { # kubeconfig FILE USER PORT: with the certificate of USER
  local text
  text=$(cat << YAML
apiVersion: v1
kind: Config
current-context: agent-memory-e2e
contexts: [{name: agent-memory-e2e, context: {cluster: agent-memory-e2e, user: $2}}]
clusters:
- name: agent-memory-e2e
  cluster:
    server: https://127.0.0.1:$3
    certificate-authority-data: $(base64 -w0 < "$PKI/ca.crt")
users:
- name: $2
  user:
    client-certificate-data: $(base64 -w0 < "$PKI/$2.crt")
    client-key-data: $(base64 -w0 < "$PKI/$2.key")
YAML
  )
  (umask 077 && put "$1" <<< "$text")
}
