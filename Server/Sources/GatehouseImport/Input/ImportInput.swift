package import GatehousePlatform

/// A file that is read, wherever it is. It is opened when it is its turn, because an export may have a thousand pages.
package struct ImportInput {
    /// An open file.
    package struct Stream {
        /// The next bytes, at most as many as asked for; empty at the end.
        package let read: (_ limit: Int) throws -> [UInt8]
        /// Bytes from a place in the file; nil for what can only be read once, such as a pipe.
        package let readAt: ((_ offset: Int64, _ count: Int) throws -> [UInt8])?

        package init(
            read: @escaping (_ limit: Int) throws -> [UInt8],
            readAt: ((_ offset: Int64, _ count: Int) throws -> [UInt8])? = nil
        ) {
            self.read = read
            self.readAt = readAt
        }

        /// - Parameter isOnce: whether it can't be opened a second time, as standard input.
        package init(_ file: OpenFile, isOnce: Bool = false) {
            self.init(
                read: { try file.read(atMost: $0) },
                readAt: isOnce || !file.hasPlaces ? nil : { try file.read(atMost: $1, from: $0) })
        }
    }

    /// What a report calls it.
    package let name: String
    /// Whether it is the rows of the system's own tables, a line each. Then its form is known, even if there is no row.
    package let isTables: Bool
    /// Opens it at its beginning. It is called once for what can only be read once.
    package let open: () throws -> Stream

    package init(name: String, isTables: Bool = false, open: @escaping () throws -> Stream) {
        self.name = name
        self.isTables = isTables
        self.open = open
    }
}
