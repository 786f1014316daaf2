// The functions of the commands; command_table.cc has the table.
#pragma once

#include "client/command.h"

namespace client {

int List(Call& call, const MemoryCalls& memory);
int Search(Call& call, const MemoryCalls& memory);
int Show(Call& call, const MemoryCalls& memory);
int RecallFor(Call& call, const MemoryCalls& memory);
int ShowConsole(Call& call, const MemoryCalls& memory);

int Add(Call& call, const MemoryCalls& memory);
int Edit(Call& call, const MemoryCalls& memory);
int Remove(Call& call, const MemoryCalls& memory);
int Pin(Call& call, const MemoryCalls& memory);
int Unpin(Call& call, const MemoryCalls& memory);
int Bury(Call& call, const MemoryCalls& memory);
int Unbury(Call& call, const MemoryCalls& memory);
int Merge(Call& call, const MemoryCalls& memory);
int Import(Call& call, const MemoryCalls& memory);
int ImportTranscripts(Call& call);
int Export(Call& call, const MemoryCalls& memory);

int Completion(Call& call);

// Memory on this machine, with client/laptop.
int Up(Call& call);
int Down(Call& call);
int ShowStatus(Call& call);
int Setup(Call& call);
int Mirror(Call& call);
int Why(Call& call);
int Doctor(Call& call);
int Hook(Call& call);
int Mcp(Call& call);
int PrintUrl(Call& call);

}  // namespace client
