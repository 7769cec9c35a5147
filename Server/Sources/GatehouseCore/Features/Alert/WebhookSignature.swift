import Crypto
import GatehousePlatform
import GatehouseSecurity

/// Signs the body of a webhook as of Standard Webhooks, version 1.
enum WebhookSignature {
    private static let mark = "whsec_"

    /// A new secret, as its operator gets it.
    static func secret(random: RandomSource) -> String { mark + Data(random.bytes(32)).base64EncodedString() }

    static func headers(of body: String, id: String, secret: String, at moment: Moment) -> [String: String] {
        let key = Data(base64Encoded: String(secret.dropFirst(mark.count))) ?? Data()
        let seconds = String(moment.milliseconds / 1_000)
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(seconds).\(body)".utf8), using: SymmetricKey(data: key))
        return [
            "webhook-id": id, "webhook-timestamp": seconds,
            "webhook-signature": "v1,\(Data(code).base64EncodedString())",
        ]
    }
}
