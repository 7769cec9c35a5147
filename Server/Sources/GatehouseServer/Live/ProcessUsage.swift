import GatehousePlatform

/// The system's statistics of this process.
struct ProcessUsage: Sendable {
    var residentBytes = 0
    var openFiles = 0
    var processorSeconds = 0.0

    static func current() -> ProcessUsage {
        var usage = ProcessUsage()
        if let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.parts(at: " ")
            .dropFirst()
            .first.flatMap({ Int($0) })
        {
            usage.residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
        usage.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        usage.processorSeconds = Double(clock()) / Double(CLOCKS_PER_SEC)
        return usage
    }
}
