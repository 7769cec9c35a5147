import CLibPQ
import Foundation
import GatehouseStorage

/// A connection to PostgreSQL for what no transaction may do, such as creating a database, and for what a test must not do itself.
final class Administrator: @unchecked Sendable {  // The handle is used only on the queue.
    private let url: String
    private let queue = DispatchQueue(label: "administrator")
    private var handle: OpaquePointer?

    init(_ url: String) {
        self.url = url
    }

    deinit { PQfinish(handle) }

    /// Runs statements, atomically where PostgreSQL can.
    func run(_ statements: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.execute(statements) }) }
        }
    }

    private func execute(_ statements: String) throws {
        for isLast in [false, true] {
            let connection = try connected()
            let result = PQexec(connection, statements)
            defer { PQclear(result) }
            if [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) { return }
            let message = String(cString: PQerrorMessage(connection))
            // Tests end connections, possibly this one too. Then a new one runs the statements.
            if isLast || PQstatus(connection) == CONNECTION_OK {
                throw TestDatabaseError(description: "PostgreSQL refused: \(statements): \(message)")
            }
        }
    }

    private func connected() throws -> OpaquePointer {
        if let handle {
            if PQstatus(handle) != CONNECTION_OK { PQreset(handle) }
            return handle
        }
        // No call here may wait for ever, however busy the machine is.
        let settings = [
            ("dbname", url), ("connect_timeout", "60"),
            ("options", "-c statement_timeout=300000 -c client_min_messages=error"),
        ]
        let names = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { (names + values).forEach { free($0) } }
        let made = PQconnectdbParams(
            names.map { UnsafePointer<CChar>($0) } + [nil], values.map { UnsafePointer<CChar>($0) } + [nil], 1)
        guard let made, PQstatus(made) == CONNECTION_OK else {
            let message = made.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
            PQfinish(made)
            throw TestDatabaseError(description: "PostgreSQL can't be reached: \(message)")
        }
        handle = made
        return made
    }
}
