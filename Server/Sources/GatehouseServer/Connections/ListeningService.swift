import GatehousePlatform
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A service that listens. If it can't, the error names the address and the setting that determines it.
public struct ListeningService: Service {
    private let base: any Service
    private let host: String
    private let port: Int
    private let settings: String

    /// - Parameter settings: the settings that select another address, as used in a sentence.
    public init(_ base: any Service, host: String, port: Int, chosenBy settings: String) {
        self.base = base
        self.host = host
        self.port = port
        self.settings = settings
    }

    /// Listens for a moment, before any service runs. A process whose services have begun has to end all of them for an address that is
    /// taken, and was seen to hang in that.
    ///
    /// - Throws: ``CannotListen``.
    public func requireAddress() async throws {
        guard port != 0 else { return }
        try await namingPlace {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
            try await channel.close()
        }
    }

    /// - Throws: ``CannotListen``, and any other error of the service.
    public func run() async throws {
        try await namingPlace(base.run)
    }

    private func namingPlace(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as IOError {
            throw CannotListen(error.errnoCode, "\(host):\(port)", settings) ?? error
        }
    }
}

/// Why a server can't listen at its address.
public struct CannotListen: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// Nil if the address is not the cause.
    init?(_ code: Int32, _ place: String, _ settings: String) {
        switch code {
        case EADDRINUSE:
            description =
                "The address \(place) is in use by another program: stop that one, or choose another address with \(settings)."
        case EADDRNOTAVAIL:
            description = "The address \(place) is none of this machine's: choose another with \(settings)."
        case EACCES:
            description =
                "This user may not listen at \(place), as is usual for ports below 1024: choose another address with \(settings)."
        default: return nil
        }
    }
}
