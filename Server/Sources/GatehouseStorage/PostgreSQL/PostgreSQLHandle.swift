import CLibPQ

/// The one owner of a connection of libpq, which closes it: also when a step after its opening fails, before anything else owns it.
struct PostgreSQLHandle: ~Copyable {
    let pointer: OpaquePointer
    /// libpq knows its address, so it must live as long.
    private let notices: PostgreSQLNotices

    init(_ pointer: OpaquePointer, notices: PostgreSQLNotices) {
        self.pointer = pointer
        self.notices = notices
        notices.receive(from: pointer)
    }

    deinit { PQfinish(pointer) }

    var isOpen: Bool { PQstatus(pointer) == CONNECTION_OK }
    /// The process of PostgreSQL that libpq was told.
    var process: Int32 { PQbackendPID(pointer) }

    /// The address that the connection leads to, for messages.
    var place: String {
        let host = PQhost(pointer).map { String(cString: $0) } ?? ""
        let port = PQport(pointer).map { String(cString: $0) } ?? ""
        return "\(host):\(port)"
    }
}
