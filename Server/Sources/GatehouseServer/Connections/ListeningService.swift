import GatehousePlatform
import NIOCore
public import ServiceLifecycle

/// A service that listens. If it can't, the error names the address and the setting that determines it.
public struct ListeningService: Service {
    private let base: any Service
    private let place: String
    private let settings: String

    /// - Parameters:
    ///   - place: HOST:PORT.
    ///   - settings: the settings that select another address, as used in a sentence.
    public init(_ base: any Service, at place: String, chosenBy settings: String) {
        self.base = base
        self.place = place
        self.settings = settings
    }

    /// - Throws: ``CannotListen``, and any other error of the service.
    public func run() async throws {
        do {
            try await base.run()
        } catch let error as IOError {
            throw CannotListen(error.errnoCode, place, settings) ?? error
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
