import GatehouseCore
import Hummingbird

/// A form that is sent once more: after its person has signed in again, or after the server could not answer it.
struct KeptForm: Codable, Sendable {
    let path: String
    let fields: [String: String]
    let person: String

    init(path: String, values: FormValues, person: OperatorID) {
        self.path = path
        fields = values.all.filter { !Self.isSecret($0.key) }
        self.person = person.rawValue
    }

    /// What is never kept.
    private static let secrets: Set = ["token", "password", "code", "new", "secret"]

    fileprivate static func isSecret(_ name: String) -> Bool { secrets.contains(name) || name.hasPrefix("secret.") }
}

extension KeptForm {
    /// A change that the server could not answer. Nil for any other form, because the database counts only changes once; and for one with
    /// a secret besides the sign-in's, which the page would lose without a word.
    fileprivate init?(unanswered form: FormValues, path: String, token: String) {
        let signIn: Set = ["token", "password", "code"]
        guard path.contains("/do/"), !form.all.keys.contains(where: { Self.isSecret($0) && !signIn.contains($0) })
        else {
            return nil
        }
        self.path = path
        fields = form.all.filter { !signIn.contains($0.key) }.merging(["token": token]) { $1 }
        person = ""
    }

    /// Whether the form only asks for the confirmation page.
    var isCheck: Bool { path.hasSuffix("/check") }

    /// The token of the session that has sent it; empty when there is none.
    var token: String { fields["token"] ?? "" }

    var hidden: [Field] {
        fields.filter { $0.key != "token" }.sorted { $0.key < $1.key }
            .map { Field($0.key, "", .hidden, value: $0.value) }
    }
}

extension Console {
    /// Answers a form. If the server fails, the page of the error has what was typed, and sends it once more.
    func answer(
        _ form: FormValues, _ request: Request, _ context: ConsoleContext, _ page: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await page()
        } catch let failure as PageFailure {
            throw failure
        } catch {
            return errorPage(for: error, request, context, keeping: unanswered(form, request))
        }
    }

    /// The form, if a page of the session has sent it. No other page knows the session's token.
    private func unanswered(_ form: FormValues, _ request: Request) -> KeptForm? {
        guard let token = Self.token(of: request), Self.isToken(form, of: token) else { return nil }
        return unanswered(form, request, in: token)
    }

    /// The same in the session that has begun with this form.
    func unanswered(_ form: FormValues, _ request: Request, in token: OperatorToken) -> KeptForm? {
        KeptForm(unanswered: form, path: request.uri.path, token: Self.formToken(of: token))
    }
}
