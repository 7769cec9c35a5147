/// The room on a disk, in bytes.
public struct DiskSpace: Sendable, Hashable {
    public let free: UInt64
    public let total: UInt64

    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }
}
