"""Pictures of results: what a picture shows is data, which Matplotlib and a page in a browser draw alike."""
