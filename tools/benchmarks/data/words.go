package data

import "example.org/backoffice/backoffice"

var (
	firstNames = []string{"Anna", "Bart", "Camille", "Dirk", "Els", "François", "Greet", "Hanne", "Ilse", "Jan", "Koen", "Lies", "Marc", "Noémie", "Olivier", "Piet", "Sofie", "Tom", "Wim", "Yasmine"}
	surnames   = []string{"Peeters", "Janssens", "Maes", "Jacobs", "Mertens", "Willems", "Claes", "Goossens", "Wouters", "De Smet", "Dubois", "Lambert", "Dupont", "Martin", "Hermans", "Vermeulen", "Van den Broeck", "Desmet", "Lemmens", "Coppens"}
	trades     = []string{"Bakkerij", "Garage", "Boekhandel", "Brouwerij", "Tuinaanleg", "Schrijnwerken", "Boulangerie", "Menuiserie", "Transport", "Bouwbedrijf", "Apotheek", "Slagerij"}
	streets    = []string{"Kerkstraat", "Stationsstraat", "Dorpsstraat", "Nieuwstraat", "Rue de l'Église", "Molenstraat", "Schoolstraat", "Rue du Moulin"}
	cities     = []string{"Gent", "Antwerpen", "Brussel", "Leuven", "Liège", "Namur", "Brugge", "Hasselt", "Kortrijk", "Mons"}
	languages  = []string{"dutch", "french", "german", "english"}
	forms      = []backoffice.LegalForm{"BV", "NV", "CV", "VOF", "VZW"}

	checklistNames = [ChecklistsPerYear]string{"Personenbelasting", "Vennootschapsbelasting", "Jaarrekening", "Btw-aangifte", "Loonfiches", "Investeringen",
		"Kilometervergoeding", "Huurinkomsten", "Antiwitwas", "Begroting", "Bankdocumenten", "Subsidies"}
)
