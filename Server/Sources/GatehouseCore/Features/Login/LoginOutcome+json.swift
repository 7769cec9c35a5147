import GatehouseJSON
import GatehouseWire

extension LoginRules.Outcome: JSONWritable {
    func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("status", Int64(status.rawValue))
            text.member("sessionID", sessionID.rawValue)
            text.member("sessionCreatedAt", sessionCreatedAt)
            text.member("generation", generation)
            text.member("sessionExpiryDate", sessionExpiryDate)
            text.member("isNewMember", isNewMember)
            text.member("refreshToken", refreshToken?.secretValue)
        }
    }
}
