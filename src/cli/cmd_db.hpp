#pragma once
// The parts of `muhur db`, one function a file; each adds its commands.

#include "cli/command.hpp"

namespace muhur::cli {

void describe_db_look(Command& db);    // info, check
void describe_db_change(Command& db);  // rekey, migrate, vacuum
void describe_db_copy(Command& db);    // backup, salvage, export-key
void describe_db_shell(Command& db);   // shell

}  // namespace muhur::cli
