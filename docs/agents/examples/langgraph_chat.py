#!/usr/bin/env python3
"""A LangGraph graph with memory (packages `langgraph`, `langchain-openai`): a node before the model recalls, a node after it
remembers. OPENAI_BASE_URL and OPENAI_API_KEY name an endpoint with OpenAI's chat API, MODEL its model."""
import json
import os
import subprocess
import sys
import uuid

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-4.1-mini"))


def hook(event, config, **fields):
    """→ what memory adds to the event; nothing if memory does not answer, and then stderr says why."""
    body = json.dumps({"hook_event_name": event, "session_id": config["configurable"]["thread_id"], **fields})
    done = subprocess.run(["agent-memory", "hook", event], input=body, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")


def recall(state: MessagesState, config: RunnableConfig):
    prompt = state["messages"][-1]
    memory = hook("UserPromptSubmit", config, prompt=prompt.content)
    return {"messages": [HumanMessage(f"{memory}\n\n{prompt.content}".strip(), id=prompt.id)]}  # in place of the prompt


def answer(state: MessagesState):
    return {"messages": [model.invoke(state["messages"])]}


def remember(state: MessagesState, config: RunnableConfig):
    hook("Stop", config, last_assistant_message=state["messages"][-1].content)


graph = StateGraph(MessagesState)
for at, node in ((START, recall), ("recall", answer), ("answer", remember)):
    graph.add_node(node)
    graph.add_edge(at, node.__name__)
graph.add_edge("remember", END)
chat = graph.compile(checkpointer=InMemorySaver())

thread = {"configurable": {"thread_id": str(uuid.uuid4())}}  # a thread is a session of memory
for prompt in filter(None, map(str.strip, sys.stdin)):
    print(chat.invoke({"messages": [HumanMessage(prompt)]}, thread)["messages"][-1].content, flush=True)
hook("SessionEnd", thread, reason="exit")
