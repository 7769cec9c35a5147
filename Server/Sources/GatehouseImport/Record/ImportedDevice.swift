import Crypto
import GatehousePlatform

/// An id of a device that let its holder in at the old system.
package struct ImportedDevice: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case deviceID = "deviceId"
        case customID = "customId"
        case guestID = "guestId"
    }

    /// The id itself, or its hash, so that raw ids need not leave the old site.
    package enum Value: Equatable, Sendable {
        case plain(String)
        /// 64 small hexadecimal digits.
        case sha256(String)
    }

    package var kind: Kind
    package var value: Value

    package init(_ kind: Kind, _ value: Value) {
        self.kind = kind
        self.value = value
    }

    /// The SHA-256 of the id, in 64 small hexadecimal digits, whichever form it came in.
    package var hash: String {
        switch value {
        case .plain(let text): SHA256.hash(data: Array(text.utf8)).hexadecimal
        case .sha256(let digits): digits
        }
    }
}
