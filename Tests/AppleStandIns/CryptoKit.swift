// The part of Apple's CryptoKit that swift-crypto does not have, as names and types only.
import Foundation
import Security

public enum SecureEnclave {
    public static var isAvailable: Bool { false }

    public enum P256 {
        public enum Signing {
            public struct PublicKey {
                public let rawRepresentation = Data()
            }

            public struct ECDSASignature {
                public let rawRepresentation = Data()
            }

            public struct PrivateKey {
                public let publicKey = PublicKey()
                public let dataRepresentation: Data
                public init(compactRepresentable: Bool = true, accessControl: SecAccessControl) throws {
                    dataRepresentation = Data()
                }
                public init(dataRepresentation: Data) throws { self.dataRepresentation = dataRepresentation }
                public func signature<Message: DataProtocol>(for data: Message) throws -> ECDSASignature {
                    ECDSASignature()
                }
            }
        }
    }
}
