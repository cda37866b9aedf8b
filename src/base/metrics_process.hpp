#pragma once
// Figures of this process under the names that Prometheus' own libraries use. Private to base/.

namespace muhur::metrics {

// process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes, process_open_fds,
// process_max_fds, process_threads, process_start_time_seconds. What the kernel does not tell stays as it
// was.
void set_process_figures();

}  // namespace muhur::metrics
