import Crypto
import Foundation
import GatehouseSecurity
import GatehouseWire

extension Target {
    /// Any text where a signed token is expected.
    static let token = Target(name: "token", maximumLength: 8_192) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let token = SignedToken(text, maximumLength: 8_192) else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try Broken.unless(parts.count == 3, "a token that has not three parts is taken")
        try Broken.unless(
            token.signingInput.elementsEqual("\(parts[0]).\(parts[1])".utf8), "the signature is over other bytes")
        try Broken.unless(Base64URL.encode(token.signature) == parts[2], "the signature has a second spelling")
    }

    private static let secret: [UInt8] = [UInt8](repeating: 7, count: 32)
    private static let target = ProofTarget(method: "POST", path: "/v1/apps/a/login", token: nil)
    private static let moment = Moment(milliseconds: 1_800_000_000_000)
    private static let verifier = ProofVerifier(origins: PublicOrigins(["https://a.example"]) ?? .loopback)

    /// A proof's header and claims, a line each, signed with the device's key. An accepted proof contains what it must, and is refused
    /// after any bit is changed.
    static let proof = Target(name: "proof", maximumLength: 4_096) { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else { return }
        let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
        // Invalid UTF-8 is repaired here; the target "token" gets the bytes as they are.
        let (headerText, claimText) = (
            String(decoding: lines[0], as: UTF8.self), String(decoding: lines[1], as: UTF8.self)
        )
        let text = try CompactJWS.sign(header: headerText, claims: claimText, with: key)
        guard let proof = try? verifier.verify(text, for: target, at: moment) else { return }
        let header = try JSONDecoder().decode(JSONValue.self, from: Data(headerText.utf8)).objectValue ?? [:]
        let claims = try JSONDecoder().decode(JSONValue.self, from: Data(claimText.utf8)).objectValue ?? [:]
        try Broken.unless(header["typ"] == "dpop+jwt" && header["alg"] == "ES256", "another type or algorithm is taken")
        try Broken.unless(header["crit"] == nil, "a proof with crit is taken")
        try Broken.unless(header["jwk"]?.objectValue?["d"] == nil, "a private key is taken")
        try Broken.unless(claims["htm"] == "POST", "a proof for another method is taken")
        let url = (claims["htu"]?.stringValue).flatMap { WebAddress($0) }
        try Broken.unless(url?.text == "https://a.example/v1/apps/a/login", "a proof for another URL is taken")
        try Broken.unless(claims["ath"] == nil, "a proof for a token is taken without one")
        try Broken.unless(proof.origin == "https://a.example", "another origin")
        let age = moment.milliseconds - proof.issuedAt
        try Broken.unless((-30_000...60_000).contains(age), "a stale proof is taken")
        for place in [text.utf8.count / 3, text.utf8.count * 2 / 3, text.utf8.count - 1] {
            var bytes = Array(text.utf8)
            bytes[place] ^= 1
            let other = String(decoding: bytes, as: UTF8.self)
            let isTaken = (try? verifier.verify(other, for: target, at: moment)) != nil
            try Broken.unless(!isTaken, "a proof is taken with another byte at \(place)")
        }
    }

    /// base64url: every value has exactly one text, and Foundation's base64 agrees.
    static let base64url = Target(name: "base64url", maximumLength: 4_096) { input in
        let text = Base64URL.encode(input)
        try Broken.unless(Base64URL.decode(text) == input, "bytes change on the way")
        let reference = Data(input).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        try Broken.unless(text == reference.prefix { $0 != "=" }, "Foundation writes it otherwise")
        guard let bytes = Base64URL.decode(input) else { return }
        try Broken.unless(Base64URL.encode(bytes).utf8.elementsEqual(input), "a second spelling is taken")
    }
}
