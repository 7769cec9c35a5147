import Foundation
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The fields of a form or of an address, by name.
struct FormValues: Sendable, Hashable {
    static let maximumBytes = 262_144
    private static let maximumFields = 500

    private var values: [String: String] = [:]

    init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Reads `application/x-www-form-urlencoded`. Of a name that occurs several times the values are joined by line breaks.
    ///
    /// - Throws: 3 for what is not well-formed, or too large.
    init(encoded text: some StringProtocol) throws {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.tooLarge }
        let pairs = text.split(separator: "&")
        guard pairs.count <= Self.maximumFields else { throw Self.tooLarge }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // No text of a database holds U+0000, so it is refused here.
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                !name.utf8.contains(0), !value.utf8.contains(0)
            else {
                throw Refusal(.invalidParameter, "The form is not well-formed.", httpStatus: 400)
            }
            values[name] = values[name].map { "\($0)\n\(value)" } ?? value
        }
    }

    /// Reads the body of a form.
    init(_ request: Request) async throws {
        var request = request
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Refusal(.invalidParameter, "This page takes forms.", httpStatus: 415)
        }
        let body: ByteBuffer
        do {
            body = try await request.collectBody(upTo: Self.maximumBytes)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Self.tooLarge
        }
        try self.init(encoded: String(decoding: body.readableBytesView, as: UTF8.self))
    }

    private static var tooLarge: Refusal {
        Refusal(.invalidParameter, "The form has more than \(maximumBytes) bytes.", httpStatus: 413)
    }

    /// Browsers send line breaks as two characters.
    private static func decoded(_ text: some StringProtocol) -> String? {
        String(text).replacing("+", with: " ").percentDecoded?.replacing("\r\n", with: "\n")
    }

    /// A value without the white space around it; nil if it is empty or missing.
    subscript(_ name: String) -> String? {
        get {
            guard let value = values[name]?.trimmingWhitespace(), !value.isEmpty else {
                return nil
            }
            return value
        }
        set { values[name] = newValue }
    }

    /// A value as it was sent, such as a password.
    func raw(_ name: String) -> String { values[name] ?? "" }

    func isSet(_ name: String) -> Bool { self[name] != nil }

    /// The values by language of fields such as `text.en`.
    func texts(_ prefix: String) -> [String: String] {
        var texts: [String: String] = [:]
        for name in values.keys where name.hasPrefix("\(prefix).") {
            texts[String(name.dropFirst(prefix.count + 1))] = self[name]
        }
        return texts
    }

    var all: [String: String] { values }

    /// The values for an address.
    var encoded: String {
        Form.text(values)
    }

    static func encoded(_ text: String) -> String { Form.encode(text) }
}
