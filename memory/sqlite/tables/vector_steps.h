// Steps of the schema (schema.cc) for vectors beside the table `vectors`. They never change.
#pragma once

namespace memory {

// Like the table `vectors`, for the remote model. An empty vector: the model refused the text.
// Scans read the index instead of the wide rows.
inline constexpr const char* kRemoteVectors = R"sql(
CREATE TABLE remote_vectors(slot INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE INDEX remote_vectors_model ON remote_vectors(model, slot);
CREATE TRIGGER remote_vectors_outdated AFTER UPDATE OF title, content ON observations
  WHEN new.title <> old.title OR new.content <> old.content BEGIN
  DELETE FROM remote_vectors WHERE slot = old.slot;
END;
CREATE TRIGGER remote_vectors_gone AFTER DELETE ON observations BEGIN
  DELETE FROM remote_vectors WHERE slot = old.slot;
END;
)sql";

// Vectors of items by the local model.
inline constexpr const char* kItemVectors = R"sql(
CREATE TABLE item_vectors(slot INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TRIGGER item_vectors_gone AFTER DELETE ON items BEGIN
  DELETE FROM item_vectors WHERE slot = old.slot;
END;
)sql";

}  // namespace memory
