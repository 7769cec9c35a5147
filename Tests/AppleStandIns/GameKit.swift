// The parts of Apple's GameKit that Gatehouse uses, as names and types only.
import Foundation
import UIKit

public final class GKLocalPlayer: @unchecked Sendable {
    public static let local = GKLocalPlayer()
    public var isAuthenticated: Bool { false }
    public var authenticateHandler: ((UIViewController?, (any Error)?) -> Void)?
    public var teamPlayerID: String { "" }
    public var gamePlayerID: String { "" }
    public func scopedIDsArePersistent() -> Bool { true }
    public func fetchItemsForIdentityVerificationSignature() async throws -> (URL, Data, Data, UInt64) {
        throw CancellationError()
    }
}

public struct GKError: Error {
    public enum Code: Sendable { case cancelled }
    public let code: Code
}
