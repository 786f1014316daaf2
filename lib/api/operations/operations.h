// The rows of all routes of the memory server, the shapes of their answers, and the examples of a
// row as values. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/operations/operation.h"
#include "lib/base/json/json.h"
#include "lib/http/message/router.h"

namespace api {

// Each name, and each method with its path, is there once.
const std::vector<Operation>& Operations();
const std::vector<Shape>& Shapes();
// The row with this name, which must be there.
const Operation& OperationNamed(std::string_view name);

// The limit of a field of a body, or of a parameter, for its decoder.
int64_t MostOf(std::string_view row, std::string_view field);

// Method, path and limit of the body.
http::Route RouteOf(const Operation& row);

// The rows and shapes of a file.
std::vector<Operation> ObservationOperations();
std::vector<Operation> ItemOperations();
std::vector<Operation> TraceOperations();
std::vector<Operation> ConversationOperations();
std::vector<Shape> ObservationShapes();
std::vector<Shape> ItemShapes();
std::vector<Shape> TraceShapes();
std::vector<Shape> ConversationShapes();

// From a "$name" of kStandIns to a value; a name that is not there stays.
using ExampleRows = std::map<std::string, std::string, std::less<>>;
ExampleRows UsualRows();  // of kStandIns

// The field must have an example.
base::Json ExampleOf(const Field& field, const ExampleRows& rows);
// Of the fields that have an example; null: the row has no body.
base::Json ExampleBody(const Operation& row, const ExampleRows& rows);
bool InPath(const Operation& row, const Field& field);

}  // namespace api
