#!/usr/bin/env bash
# A chat with memory in bash, with curl and jq: answers a prompt a line. OPENAI_BASE_URL and OPENAI_API_KEY name an
# endpoint with OpenAI's chat API, MODEL its model.
set -euo pipefail
base=${OPENAI_BASE_URL:-https://api.openai.com/v1} model=${MODEL:-gpt-4.1-mini}
session=$(cat /proc/sys/kernel/random/uuid)

hook() { # hook EVENT FIELD VALUE: prints what memory adds; nothing if it does not answer, and then stderr says why
  jq -n --arg event "$1" --arg session "$session" --arg field "$2" --arg value "$3" \
    '{hook_event_name: $event, session_id: $session, ($field): $value}' |
    agent-memory hook "$1" | jq -r '.hookSpecificOutput.additionalContext // empty'
}

with() { # with ROLE TEXT: adds a message to those on stdin
  jq -c --arg role "$1" --arg text "$2" '. + [{role: $role, content: $text}]'
}

messages='[]'
while IFS= read -r prompt; do
  [ -n "$prompt" ] || continue
  memory=$(hook UserPromptSubmit prompt "$prompt") || true
  messages=$(with user "${memory:+$memory$'\n\n'}$prompt" <<< "$messages")
  said=$(jq -c --arg model "$model" '{model: $model, messages: .}' <<< "$messages" |
    curl -sS --fail-with-body -H "Authorization: Bearer ${OPENAI_API_KEY-}" -H 'Content-Type: application/json' \
      -d @- "$base/chat/completions" | jq -r '.choices[0].message.content')
  messages=$(with assistant "$said" <<< "$messages")
  hook Stop last_assistant_message "$said" > /dev/null || true
  printf '%s\n' "$said"
done
hook SessionEnd reason exit > /dev/null || true
