package import GatehouseJSON
import GatehouseWire

/// An untrusted signed token in compact form (RFC 7515 section 3.1), with any algorithm.
package struct SignedToken: Sendable {
    package let header: StrictJSON.Value
    package let claims: StrictJSON.Value
    package let signingInput: [UInt8]
    package let signature: [UInt8]

    package init?(_ text: String, maximumLength: Int) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header = try? StrictJSON.parse(headerBytes), case .object = header,
            let claims = try? StrictJSON.parse(claimBytes), case .object = claims
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }
}
