import GatehouseCore
import GatehousePlatform
import Hummingbird

/// A change that the server could not answer. The page of the error has what was typed, and sends it once more.
struct UnansweredForm {
    /// Where it was sent, with the query that names the target.
    let address: String
    /// Whether the form only asks for the confirmation page.
    let isCheck: Bool
    let fields: [String: String]
    /// The token of the session that sends it.
    let token: String

    /// Nil for a form that changes nothing, because the database counts only changes once; and for one with a secret besides the
    /// sign-in's, which the page would lose without a word.
    fileprivate init?(_ form: FormValues, _ request: Request, token: String) {
        let signIn: Set = ["token", "password", "code"]
        let path = request.uri.path
        guard path.has("/do/"), form.all.keys.allSatisfy({ !KeptForm.isSecret($0) || signIn.contains($0) })
        else { return nil }
        address = path + (request.uri.query.map { "?\($0)" } ?? "")
        isCheck = path.ends(with: "/check")
        fields = form.all.filter { !signIn.contains($0.key) }
        self.token = token
    }

    var hidden: [Field] {
        fields.sorted { $0.key < $1.key }.map { Field($0.key, "", .hidden, value: $0.value) }
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
            return await errorPage(for: error, request, context, unanswered: unanswered(form, request))
        }
    }

    /// The form, if a page of the session has sent it. No other page knows the session's token.
    private func unanswered(_ form: FormValues, _ request: Request) -> UnansweredForm? {
        guard let token = Self.token(of: request), Self.isToken(form, of: token) else { return nil }
        return unanswered(form, request, in: token)
    }

    /// The same in the session that has begun with this form.
    func unanswered(_ form: FormValues, _ request: Request, in token: OperatorToken) -> UnansweredForm? {
        UnansweredForm(form, request, token: Self.formToken(of: token))
    }
}
