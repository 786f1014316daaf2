// libpq, loaded when the first address is read: it brings twenty libraries (Kerberos, LDAP) and 3
// MiB of resident memory, which a process without PostgreSQL does not need.
#pragma once

#include <libpq-fe.h>

#include "lib/base/result.h"

namespace postgres {

#define POSTGRES_LIBPQ(F)                                                                          \
  F(PQbackendPID)                                                                                  \
  F(PQclear)                                                                                       \
  F(PQcmdStatus)                                                                                   \
  F(PQcmdTuples) F(PQconnectPoll) F(PQconnectStartParams) F(PQconninfoFree) F(PQconninfoParse)     \
      F(PQconsumeInput) F(PQenterPipelineMode) F(PQerrorMessage) F(PQexitPipelineMode) F(PQfinish) \
          F(PQflush) F(PQfreemem) F(PQftype) F(PQgetResult) F(PQgetisnull) F(PQgetlength)          \
              F(PQgetvalue) F(PQisBusy) F(PQnfields) F(PQntuples) F(PQpipelineSync)                \
                  F(PQresultErrorField) F(PQresultErrorMessage) F(PQresultStatus) F(PQsendPrepare) \
                      F(PQsendQuery) F(PQsendQueryPrepared) F(PQserverVersion)                     \
                          F(PQsetNoticeReceiver) F(PQsetSingleRowMode) F(PQsetnonblocking)         \
                              F(PQsocket) F(PQstatus)

struct Libpq {
#define POSTGRES_FUNCTION(name) decltype(&::name) name = nullptr;
  POSTGRES_LIBPQ(POSTGRES_FUNCTION)
#undef POSTGRES_FUNCTION
};

// Any thread. kInvalid: it is not installed, or too old.
base::Status LoadLibpq();
const Libpq& libpq();  // LoadLibpq succeeded

}  // namespace postgres
