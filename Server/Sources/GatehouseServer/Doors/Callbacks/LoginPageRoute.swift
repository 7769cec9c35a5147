import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The page at the end of a login, for games without a page of their own.
struct LoginPageRoute: Sendable {
    func add(to router: Router<GatehouseContext>) {
        router.getOnly(RouterPath(Endpoints.loginPage)) { request, _ in
            let outcome = request.uri.query.flatMap { Form.parse($0) }?["outcome"].flatMap(LoginPage.Outcome.init)
            let languages = AcceptedLanguages.parse(request.headers[.acceptLanguage])
            return LoginPage(outcome: outcome ?? .failed, languages: languages).response()
        }
    }
}
