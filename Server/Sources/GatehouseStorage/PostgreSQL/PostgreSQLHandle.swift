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

    /// Why it can't be used: the lines of libpq's message that contain host and port, one for each address, without its hints.
    var reason: String {
        let lines = String(cString: PQerrorMessage(pointer)).split(separator: "\n")
        let places = lines.filter { $0.hasPrefix("connection to ") }
        return (places.isEmpty ? Array(lines.prefix(1)) : places).joined(separator: "; ")
    }

    /// The address that the connection leads to, for messages.
    var place: String {
        let host = PQhost(pointer).map { String(cString: $0) } ?? ""
        let port = PQport(pointer).map { String(cString: $0) } ?? ""
        return "\(host):\(port)"
    }
}
