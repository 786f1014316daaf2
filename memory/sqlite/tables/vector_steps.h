// Steps of the schema (schema.cc) for vectors beside the table `vectors`. They never change.
#pragma once

namespace memory {

// As the table `vectors`, by a model that is asked over the network. An empty vector: it refused
// the text. The index is read in place of the wide rows.
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

// Of items, by the model that answers at once.
inline constexpr const char* kItemVectors = R"sql(
CREATE TABLE item_vectors(slot INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TRIGGER item_vectors_gone AFTER DELETE ON items BEGIN
  DELETE FROM item_vectors WHERE slot = old.slot;
END;
)sql";

}  // namespace memory
