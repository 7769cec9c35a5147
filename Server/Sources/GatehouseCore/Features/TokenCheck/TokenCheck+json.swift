package import GatehouseJSON
package import GatehouseServerWire
import GatehouseWire

extension TokenCheck: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("sessionId", sessionId.rawValue)
            text.member("accessTokenExpiryDate", accessTokenExpiryDate)
        }
    }
}
