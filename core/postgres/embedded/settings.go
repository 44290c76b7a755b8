package embedded

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	megabyte = 1 << 20

	// The shares of the machine's memory, which the server (with its model) and others need as well.
	bufferShare      = 8  // shared_buffers: one in this many
	cacheShare       = 2  // effective_cache_size: what the kernel is likely to cache, a hint for the planner
	maintenanceShare = 32 // maintenance_work_mem: an HNSW index that fits builds twice as fast (measured)

	minBuffers, maxBuffers         = 64 * megabyte, 4096 * megabyte
	minMaintenance, maxMaintenance = 64 * megabyte, 1024 * megabyte
	// fallbackMemory is assumed where the machine does not say.
	fallbackMemory = 1024 * megabyte
)

// machineSettings are PostgreSQL's settings for this machine: durable, and sized by its memory.
func machineSettings() map[string]string {
	memory := memoryBytes()
	maintenance := min(max(memory/maintenanceShare, minMaintenance), maxMaintenance)
	settings := map[string]string{
		"fsync":                "on",
		"full_page_writes":     "on",
		"synchronous_commit":   "on",
		"shared_buffers":       megabytes(min(max(memory/bufferShare, minBuffers), maxBuffers)),
		"effective_cache_size": megabytes(memory / cacheShare),
		"maintenance_work_mem": megabytes(maintenance),
		"work_mem":             "16MB",
		"max_connections":      "100",
		"max_wal_size":         "2GB",
		"wal_compression":      "on",
		"random_page_cost":     "1.1", // solid state disks
		"jit":                  "off", // short queries: compiling costs more than it saves
		"timezone":             "UTC",
		"log_timezone":         "UTC",
		// A statement's parameters are articles and key hashes, which no log may hold (SPEC §14).
		"log_parameter_max_length":          "0",
		"log_parameter_max_length_on_error": "0",
		// A client that went away in a transaction would hold its locks for ever.
		"idle_in_transaction_session_timeout": "5min",
	}
	// A parallel index build asks for maintenance_work_mem of shared memory; containers give 64 MB, and it fails (measured).
	if sharedMemoryBytes() < 2*maintenance {
		settings["dynamic_shared_memory_type"] = "mmap"
	}
	return settings
}

func megabytes(bytes int64) string { return strconv.FormatInt(bytes/megabyte, 10) + "MB" }

// memoryBytes is the memory that this process may use: the control group's limit, where there is one, else the machine's.
func memoryBytes() int64 {
	memory := int64(fallbackMemory)
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(content)) {
			if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "MemTotal:" {
				if kilobytes, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
					memory = kilobytes * 1024
				}
			}
		}
	}
	if content, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		// "max" when there is no limit, which is no number.
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64); err == nil {
			memory = min(memory, limit)
		}
	}
	return memory
}

func sharedMemoryBytes() int64 {
	var stat syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &stat); err != nil {
		return 0
	}
	return int64(stat.Blocks) * stat.Bsize
}
