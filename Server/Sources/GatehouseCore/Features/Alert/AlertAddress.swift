import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

/// Where a receiver is, and what proves to it who sends. It is stored sealed.
struct AlertAddress: Codable, Sendable, Hashable {
    var address: String
    /// The secret of a webhook's signatures, as its operator got it.
    var secret: String?
}

extension AlertAddress {
    static func open(_ sealed: [UInt8], of receiver: AlertReceiver, vault: KeyVault) throws -> AlertAddress {
        try StoredJSON.read(
            AlertAddress.self, from: vault.open(sealed, for: .alertAddress(receiver.id, in: receiver.app)))
    }

    func sealed(for receiver: AlertReceiver, vault: KeyVault) throws -> [UInt8] {
        try vault.seal(JSONWriter.bytes(of: self), for: .alertAddress(receiver.id, in: receiver.app))
    }
}
