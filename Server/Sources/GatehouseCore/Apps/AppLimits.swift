/// An app's limits on its callers; 0 means no limit. A carrier may put a whole city behind one address, so the defaults stop a flood
/// but not a launch day.
public struct AppLimits: Sendable, Hashable {
    /// New guests per minute from one address.
    public var newGuestsPerMinute = 30_000
    /// Refused proofs and refused credentials per minute from one address.
    public var refusedProofsPerMinute = 3_000
    /// Changing calls per minute, for one device and for one member.
    public var changesPerMinute = 120
    /// Concurrent sessions of one member. A further session ends the oldest.
    public var liveSessions = 100
    /// Wrong transfer passwords and keys per hour, over all addresses, devices and nodes.
    public var wrongTransfersPerHour = 3_000

    public init() {}

    /// The limits on transfer attempts, which are rare. They are unlimited when `refusedProofsPerMinute` is 0, as on a developer's
    /// machine; ``wrongTransfersPerHour`` still applies.
    var transfers: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (max(60, refusedProofsPerMinute / 10), 20)
    }

    /// The limits on credentials that an identity provider has refused.
    var refusedCredentials: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (refusedProofsPerMinute, min(60, refusedProofsPerMinute))
    }

    static let range = 0...1_000_000_000

    var isValid: Bool { Setting.allCases.allSatisfy { Self.range.contains(self[$0]) } }

    /// One of the limits. Its raw value is the name of its setting.
    enum Setting: String, CaseIterable {
        case newGuestsPerMinute, refusedProofsPerMinute, changesPerMinute, liveSessions, wrongTransfersPerHour

        fileprivate var path: WritableKeyPath<AppLimits, Int> {
            switch self {
            case .newGuestsPerMinute: \.newGuestsPerMinute
            case .refusedProofsPerMinute: \.refusedProofsPerMinute
            case .changesPerMinute: \.changesPerMinute
            case .liveSessions: \.liveSessions
            case .wrongTransfersPerHour: \.wrongTransfersPerHour
            }
        }
    }

    subscript(setting: Setting) -> Int {
        get { self[keyPath: setting.path] }
        set { self[keyPath: setting.path] = newValue }
    }
}
