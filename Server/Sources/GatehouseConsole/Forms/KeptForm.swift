import GatehouseCore
import GatehousePlatform
import GatehouseServerWire

/// A form whose session has ended, until its person has signed in again.
struct KeptForm: Codable, Sendable {
    let path: String
    let fields: [String: String]
    let person: String

    init(path: String, values: FormValues, person: OperatorID) {
        self.path = path
        // Into the box that finds everything somebody may have typed a secret key.
        fields = values.all.filter { !Self.isSecret($0.key) && !$0.value.has(SecretKey.mark) }
        self.person = person.rawValue
    }

    /// What is never kept.
    private static let secrets: Set = ["token", "password", "code", "new", "secret"]

    static func isSecret(_ name: String) -> Bool { secrets.contains(name) || name.begins(with: "secret.") }
}
