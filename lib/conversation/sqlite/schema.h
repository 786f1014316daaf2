// The tables of conversations, as migration steps for sqlite::Migrate: the owner of the file joins
// them with its own.
#pragma once

namespace conversation {

extern const char* const kSchema;  // conversations, messages
extern const char* const kAgeStep;
extern const char* const kChecksumStep;
extern const char* const kErrorStep;
extern const char* const kSystemStep;
// For a file with conversations of many owners: an index by owner, and the bytes of conversations.
extern const char* const kOwnerStep;
extern const char* const kBlockStep;
extern const char* const kCheckpointStep;
extern const char* const kFieldsStep;
extern const char* const kLedgerSchema;
extern const char* const kSeenItemsSchema;  // the table before the ledger
extern const char* const kLedgerStep;       // a later migration of that table
extern const char* const kTaskStep;

}  // namespace conversation
