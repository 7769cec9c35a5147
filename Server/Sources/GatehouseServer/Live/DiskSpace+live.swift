import GatehousePlatform
import GatehouseSecurity

extension DiskSpace {
    /// The room that the server's user has on the disk of a file; nil if the system doesn't say.
    static func ofDisk(with path: String) -> DiskSpace? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = UInt64(status.f_frsize)
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: block)
        let total = UInt64(status.f_blocks).multipliedReportingOverflow(by: block)
        guard !free.overflow, !total.overflow else { return nil }
        return DiskSpace(free: free.partialValue, total: total.partialValue)
    }
}
