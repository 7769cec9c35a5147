/// What an app allows its callers; 0 is without limit. A carrier may put a whole city behind one address: the defaults stop a
/// flood and not a launch day.
public struct AppLimits: Sendable, Hashable {
    /// New guests of one address in a minute.
    public var newGuestsPerMinute = 30_000
    /// Refused proofs and refused credentials of one address in a minute.
    public var refusedProofsPerMinute = 3_000
    /// Calls that change something, of one device and of one member in a minute.
    public var changesPerMinute = 120
    /// Sessions of one member that live at a time: the oldest ends for the next.
    public var liveSessions = 100
    /// Wrong transfer passwords, and wrong transfer keys, in an hour: over all addresses, devices and nodes.
    public var wrongTransfersPerHour = 3_000

    public init() {}

    /// Of transfers: a player makes one in a year. Without a limit on refused proofs, as on a developer's machine, there is none
    /// on these; ``wrongTransfersPerHour`` stays.
    var transfers: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (max(60, refusedProofsPerMinute / 10), 20)
    }

    /// Of credentials that an identity provider does not stand behind.
    var refusedCredentials: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (refusedProofsPerMinute, min(60, refusedProofsPerMinute))
    }

    var isValid: Bool {
        [newGuestsPerMinute, refusedProofsPerMinute, changesPerMinute, liveSessions, wrongTransfersPerHour]
            .allSatisfy { (0...1_000_000_000).contains($0) }
    }
}
