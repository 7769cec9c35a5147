import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// A redemption as stored for its idempotency key. It is one call however often it is sent: its attempt is counted once, and a refusal
/// is repeated without counting another.
enum Redemption: Codable, Sendable {
    /// The attempt is counted, and its password is being checked.
    case begun
    case refused(ErrorCode)
    case done(LoginRules.Outcome)

    /// The response to a repeated redemption that is complete; nil if its password has yet to be checked.
    func repeated(on device: LoginDevice, in tx: Reader) throws -> Redemption? {
        switch self {
        case .begun: nil
        case .refused: self
        case .done(let outcome):
            .done(try LoginRules.repeated(outcome, code: .authInvalidGatehouseToken, on: device, in: tx))
        }
    }

    /// - Throws: the refusal, if it is one; 8001 while another call with the same key has yet to check the password.
    func outcome() throws -> LoginRules.Outcome {
        switch self {
        case .begun: throw StorageError.overloaded
        case .refused(let code): throw Refusal(code, audit: "transfer.refused")
        case .done(let outcome): return outcome
        }
    }
}
