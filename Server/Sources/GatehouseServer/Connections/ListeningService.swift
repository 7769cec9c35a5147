import Foundation
import NIOCore
public import ServiceLifecycle

/// A service that listens. Where it can't, the error says at which address, and which setting says so.
public struct ListeningService: Service {
    private let base: any Service
    private let place: String
    private let settings: String

    /// - Parameters:
    ///   - place: HOST:PORT.
    ///   - settings: what chooses another place, as a sentence names it.
    public init(_ base: any Service, at place: String, chosenBy settings: String) {
        self.base = base
        self.place = place
        self.settings = settings
    }

    /// - Throws: ``CannotListen``, and whatever else the service throws.
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

    /// Nil for what has other reasons than the address.
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
